"""Save a live source's views next to a screenshot, so that its picture can be restored."""

from pathlib import Path

from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.io.files.output import write_png
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.sources.frame import Pixels
from wheatstone.viewer.io.sources.source_spec import CALIBRATION, SourceSpec
from wheatstone.viewer.settings.recipe import Recipe
from wheatstone.viewer.settings.trust import seal_of

ENDINGS = (".left.png", ".right.png")
"""The endings of the views' file names, after the name of their screenshot."""
KEPT = (*CALIBRATION, "rectify")
"""Options of a live source that also apply to its views."""


def live_views(session: Session) -> tuple[Pixels, ...]:
    """Return the unprocessed views of a live source's chosen frame: a pair, or one image.

    Empty for a source that its recipe opens again.
    """
    if not session.source.live:
        return ()
    frame = session.frames.frame(session.state.frame)
    both = (frame.raw.left, frame.raw.right) if frame.raw else (frame.left, frame.right)
    return tuple(view for view in both if view is not None)


def with_views(recipe: Recipe, views: tuple[Pixels, ...], stem: Path) -> Recipe:
    """Write a live source's views as lossless files; return settings that open these files.

    Without views, the recipe is returned unchanged.

    Args:
        recipe: of the live source.
        stem: of the files, to which ``ENDINGS`` are added.

    Raises:
        OSError: a file cannot be written.
    """
    if not views:
        return recipe
    files = [stem.with_suffix(ending) for ending in ENDINGS[: len(views)]]
    for file, view in zip(files, views, strict=True):
        write_png(file, view)
    saved = SourceSpec.from_dict(recipe.get("source", {}))
    left, right = (*(str(resolved(file)) for file in files), None)[:2]
    kept = {name: getattr(saved, name) for name in KEPT}
    layout = None if right else "pair"
    spec = SourceSpec(left, right).changed(layout=layout, **kept)
    compare = {k: v for k, v in recipe.get("compare", {}).items() if k != "frozen"}
    changed = {**recipe, "source": spec.to_dict(), "view": {**recipe["view"], "frame": 0}}
    changed |= {"compare": compare} if compare else {}
    return changed | {"seal": seal_of(spec)}
