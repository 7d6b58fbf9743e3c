"""The source that ``view`` and ``render`` open: named by options, or saved."""

from pathlib import Path
from typing import Any

from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.data_set_layouts import pair_of
from wheatstone.viewer.io.sources.source_spec import (
    CALIBRATION,
    IMAGE_OPTIONS,
    NO_SOURCE,
    SourceSpec,
)
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.settings.trust import foreign_files


def spec_to_open(options: WindowRequest, saved: SourceSpec = NO_SOURCE) -> SourceSpec:
    """Return the source to open: the one that options name, or the saved one with changes.

    Args:
        options: ``left`` is None if it names a screenshot.
        saved: the source in settings; empty: the built-in scene.

    Raises:
        ValueError: an option does not fit the source.
    """
    given = image_options(options)
    if options.left:
        return SourceSpec(options.left, options.right or None, **given)
    kept = saved.changed(**_replaced(given))
    if saved.left and not names_scene(options):
        return kept.changed(**given)
    if "truth_scale" in given and "truth" not in given:
        raise ValueError("--truth-scale needs images: the built-in scene has its own ground truth")
    rig = {} if options.scene else {name: getattr(kept, name) for name in CALIBRATION}
    size = options.scene_size or saved.size
    if not size and not options.calibration:  # else the size that the rig was calibrated with
        size = (options.size if options.verb == "render" else None) or SCENE_SIZE
    seed = saved.seed if options.seed is None else options.seed
    scene = options.scene or saved.scene or SCENES[0]
    return SourceSpec(scene=scene, seed=seed or 0, size=size, **{**rig, **given})


def _replaced(given: dict[str, Any]) -> dict[str, None]:
    """Return None for those saved options that new truth or calibration options replace."""
    names: tuple[str, ...] = ("truth_scale",) if "truth" in given else ()
    names += (*CALIBRATION, "rectify") if "calibration" in given else ()
    return dict.fromkeys(names + (CALIBRATION if given.get("rectify") == "auto" else ()))


def right_view(options: WindowRequest) -> str:
    """Return the path of the right view that belongs to a lone left image; empty if none.

    No search is made if the pipeline takes one picture, or if the layout defines both views.
    """
    if not options.left or options.right or "right" not in options.pipeline.inputs:
        return ""
    if options.layout not in (None, "pair"):
        return ""
    path = expanded(options.left).absolute()
    pair = pair_of(path) if path.is_file() else None
    return str(pair[1]) if pair and pair[0] == path else ""


def names_source(options: WindowRequest) -> bool:
    """Return whether a command line names a source of frames."""
    return bool(options.left) or names_scene(options)


def names_scene(options: WindowRequest) -> bool:
    """Return whether a command line names the built-in scene."""
    return bool(options.scene or options.scene_size) or options.seed is not None


def image_options(options: object) -> dict[str, Any]:
    """Return the given options about images other than their paths, such as the ground truth."""
    values = {name: getattr(options, name, None) for name in IMAGE_OPTIONS}
    return {name: value for name, value in values.items() if value is not None}


def check_trusted(file: Path, spec: SourceSpec, seal: object = "") -> None:
    """Raise ``ValueError`` if untrusted settings name files outside their own folder."""
    if foreign := foreign_files(file, spec, seal):
        raise ValueError(
            f"{file}: names {', '.join(foreign)}, outside its folder; "
            "name the images on the command line, or give --trust-sources"
        )
