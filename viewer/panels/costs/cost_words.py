"""What the probe's numbers say, in words; without drawing them."""

from gpu.pipelines.sgm.curves import Curves, Verdict

Sentence = tuple[str, bool]  # with whether it tells why the pixel was rejected


def table(curves: Curves, names: tuple[str, ...], line: int) -> list[tuple[str, ...]]:
    """Costs at three disparities: a heading, then the line, the winner and the runner-up.

    Args:
        names: of the paths summed.
        line: index of the disparity where the user put the line.
    """
    rows: list[tuple[str, ...]] = [("", "d px", "C", *names, "S")]
    for label, index in (("line", line), ("winner", curves.winner), ("runner-up", curves.rival)):
        paths = (str(int(cost)) for cost in curves.path_costs[:, index])
        d = str(curves.first + index)
        rows.append((label, d, str(curves.costs[index]), *paths, str(curves.sums[index])))
    return rows


def judgements(
    curves: Curves,
    verdict: Verdict | None,
    truth: float | None,
    final: tuple[float | None] | None,
    peer: str = "",
) -> list[Sentence]:
    """What became of the winner, step by step.

    Args:
        verdict: None while it is not known.
        peer: the program from outside that made the picture, if one did: it has costs and checks of
            its own, of which nothing is known.
        truth: the true disparity in pixels; None where unknown.
        final: the disparity that the picture shows in pixels, None without one; None if unknown.
    """
    said = [_margin(curves), (_refined(curves, verdict), False), _partner(curves, verdict)]
    if peer:
        said.insert(0, (f"by our own costs; {peer} has others:", False))
    cause = None if peer else verdict
    text, alarming = _final(cause, final[0]) if final is not None else ("", False)
    known = [text] if text else []
    if truth is not None:
        known.append(f"truth {truth:.2f} px")
        if text and final and final[0] is not None:
            known.append(f"error {final[0] - truth:+.2f} px")
    said.append((", ".join(known), alarming))
    return [sentence for sentence in said if sentence[0]]


def _margin(curves: Curves) -> Sentence:
    percent, needed = f"{curves.percent:.2f} %", f"{curves.needed} %"
    if not curves.needed:
        return f"margin over the runner-up {percent}; none is asked for", False
    if curves.unique:
        return f"unique: margin over the runner-up {percent} >= {needed}", False
    return f"rejected: uniqueness {percent} < {needed}", True


def _refined(curves: Curves, verdict: Verdict | None) -> str:
    said = f"refined {pixels(curves.pixels)} px"
    if curves.parabola:
        said += f" (parabola's vertex {curves.first + curves.parabola.vertex[0]:.3f} px)"
    if verdict and verdict.smoothed != curves.refined:
        said += f", median {pixels(verdict.pixels)} px"
    return said


def _partner(curves: Curves, verdict: Verdict | None) -> Sentence:
    if not verdict:
        return "left-right check once the picture stands ...", False
    if verdict.allowed < 0:
        return f"partner in right column {verdict.partner}; no left-right check", False
    if verdict.right_winner is None:
        return f"rejected: partner in right column {verdict.partner}, outside the image", True
    own, apart = curves.first + verdict.right_winner, abs(verdict.right_winner - curves.winner)
    said = f"left-right check: right column {verdict.partner} has {own} px, apart {apart}"
    if apart > verdict.allowed:
        return f"rejected: {said} > {verdict.allowed} px", True
    return f"{said} <= {verdict.allowed} px", False


def pixels(disparity: float) -> str:
    """A disparity to the sixteenth of a pixel, without zeros at its end."""
    return f"{disparity:.4f}".rstrip("0").rstrip(".")


def _final(verdict: Verdict | None, shown: float | None) -> Sentence:
    if shown is not None and not verdict:
        return f"shown {pixels(shown)} px", False
    if not verdict:
        return "shown without disparity", False
    if shown is None:
        islands = "" if verdict.rejected else " (rejected: a small island)"
        return f"shown without disparity{islands}", not verdict.rejected
    filled = " (filled from around)" if verdict.rejected else ""
    return f"shown {pixels(shown)} px{filled}", False
