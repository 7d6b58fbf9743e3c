"""Names used in a picture: of A and B, of their views, and of images still being computed."""

from collections.abc import Sequence
from dataclasses import replace

from wheatstone.viewer.display.picture import temporal
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.shown import Shown


def name_of(shown: Shown | None, slot: str, figures: str = "") -> str:
    """Return the name of a slot's image: its result, or the image shown instead of the result.

    Args:
        slot: the slot's own name, with the settings that distinguish it from the other one.
        figures: how good it is, where its errors are shown and that is known.
    """
    if shown and shown.temporal:
        return f"{slot}: {temporal.title_of(shown.temporal)}"
    if shown and shown.judged:
        errors = f"errors of {slot}: {figures}" if figures else f"errors of {slot}"
        return "ground truth" if shown.judged.show == "truth" else errors
    return slot


def title_of(shown: Shown | None, figures: str) -> str:
    """Return a title for a single slot that shows errors, with how they are judged; else empty."""
    if not shown or not shown.judged or not shown.of_errors:
        return ""
    return f"{name_of(shown, shown.slot.name, figures)} ({shown.judged.title})"


def view_note(a: Shown | None, b: Shown | None) -> str:
    """Return the names of the views shown; empty if they are their pipelines' first views."""
    views = [
        shown.view.name
        for shown in (a, b)
        if shown and not (shown.judged or shown.temporal)
        if shown.view != shown.slot.pipeline.views[0]
    ]
    return " | ".join(f"view {name}" for name in dict.fromkeys(views))


def badge_of(a: Shown | None, badge: Badge | None) -> Badge | None:
    """Mark a badge as being about the results, where the picture shows something else."""
    hidden = a and (a.judged or a.temporal)
    if not badge or not hidden or badge.tone == "neutral":
        return badge
    return replace(badge, text=f"results, not shown here: {badge.text}")


def pending(shown: list[Shown | None], wanted: Sequence[Shown]) -> str:
    """Describe the wanted images that are not drawn yet; empty if all of them are."""
    known = [(s.slot, s.view) for s in shown if s]
    anew = [s for s in wanted if (s.slot, s.view) not in known]
    names = dict.fromkeys(
        s.view.name if any(s.slot == slot for slot, _ in known) else s.slot.name for s in anew
    )
    return f"computing {' and '.join(names)} ..." if names else ""
