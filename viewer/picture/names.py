"""What a picture calls what it shows: names of A and B, their view, what is still computed."""

from collections.abc import Sequence
from dataclasses import replace

from wheatstone.viewer.picture import over_time
from wheatstone.viewer.picture.identity import Badge
from wheatstone.viewer.picture.shown import Shown


def name_of(shown: Shown | None, slot: str, figures: str = "") -> str:
    """Name what a slot shows: its result, or what is shown in the result's place.

    Args:
        slot: the slot's own name, with what tells it from the other one.
        figures: how good it is, where its errors are shown and that is known.
    """
    if shown and shown.temporal:
        return f"{slot}: {over_time.title_of(shown.temporal)}"
    if shown and shown.judged:
        errors = f"errors of {slot}: {figures}" if figures else f"errors of {slot}"
        return "ground truth" if shown.judged.show == "truth" else errors
    return slot


def title_of(shown: Shown | None, figures: str) -> str:
    """Name what one slot alone shows, if those are errors, and how they are judged."""
    if not shown or not shown.judged or not shown.of_errors:
        return ""
    return f"{name_of(shown, shown.slot.name, figures)} ({shown.judged.title})"


def view_note(a: Shown | None, b: Shown | None) -> str:
    """Name the views shown; empty if they are those that a pipeline shows at first."""
    views = [
        shown.view.name
        for shown in (a, b)
        if shown and not (shown.judged or shown.temporal)
        if shown.view != shown.slot.pipeline.views[0]
    ]
    return " | ".join(f"view {name}" for name in dict.fromkeys(views))


def badge_of(a: Shown | None, badge: Badge | None) -> Badge | None:
    """Say what a badge is of, where the results compared are not what is shown."""
    hidden = a and (a.judged or a.temporal)
    if not badge or not hidden or badge.tone == "neutral":
        return badge
    return replace(badge, text=f"results, not shown here: {badge.text}")


def pending(shown: list[Shown | None], wanted: Sequence[Shown]) -> str:
    """Say what is computed to be shown in place of what is drawn; empty for the same views."""
    known = [(s.slot, s.view) for s in shown if s]
    anew = [s for s in wanted if (s.slot, s.view) not in known]
    names = dict.fromkeys(
        s.view.name if any(s.slot == slot for slot, _ in known) else s.slot.name for s in anew
    )
    return f"computing {' and '.join(names)} ..." if names else ""
