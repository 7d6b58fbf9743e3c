"""The sections of settings, each declared once: keys, types, defaults and bounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.footage.capture import capture_of
from wheatstone.viewer.reading.typed_values import one_of, section
from wheatstone.viewer.scenes import SCENES
from wheatstone.viewer.sources.frame import LARGEST
from wheatstone.viewer.sources.layouts import LAYOUTS
from wheatstone.viewer.sources.levelling import RECTIFY
from wheatstone.viewer.sources.said import DECODING


@dataclass(frozen=True)
class SavedView:
    """The pipeline, variant and view of slot A. Raises ``ValueError`` for an unknown pipeline."""

    pipeline: str
    variant: str
    view: str

    def __post_init__(self) -> None:
        one_of(self.pipeline, PIPELINES, "pipeline")


@dataclass(frozen=True)
class SavedSlot:
    """Slot B, or a pipeline not shown. Raises ``ValueError`` if the pipeline is unknown."""

    pipeline: str
    variant: str
    view: str
    params: Mapping[str, Any]
    linked: bool = False

    def __post_init__(self) -> None:
        one_of(self.pipeline, PIPELINES, "pipeline")


@dataclass(frozen=True)
class SavedWindow:
    """The panels of the window: whether any are visible, and which are open."""

    seen: bool = True
    panels: tuple[str, ...] = ()


@dataclass(frozen=True)
class SavedSource:
    """The source: images with their calibration and truth, or a built-in scene.

    Raises:
        ValueError: the scene, layout or rectification is unknown; or seed, size, scale or a
            camera's setting is impossible.
    """

    left: str | None = None
    right: str | None = None
    calibration: str | None = None
    calibration_right: str | None = None
    calibration_sha256: str | None = None
    decoding: str | None = None
    layout: str | None = None
    rectify: str | None = None
    truth: str | None = None
    truth_scale: float | str | None = None
    video_size: str | None = None
    frame_rate: float | str | None = None
    input_format: str | None = None
    scene: str = SCENES[0]
    seed: int = 0
    size: str | None = None

    def __post_init__(self) -> None:
        one_of(self.scene, SCENES, "scene")
        if self.decoding is not None:
            one_of(self.decoding, DECODING, "decoding")
        if self.layout is not None:
            one_of(self.layout, LAYOUTS, "layout")
        if self.rectify is not None:
            one_of(self.rectify, RECTIFY, "rectify")
        capture_of(vars(self))
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more (got {self.seed})")
        if self.size is not None:
            _check_size(self.size)
        try:
            float(self.truth_scale or 1.0)
        except ValueError:
            said = f"truth_scale must be a number (got {self.truth_scale!r})"
            raise ValueError(said) from None


def _check_size(size: str) -> None:
    sides = size.split("x")
    good = len(sides) == 2 and all(s.isdecimal() and 1 <= int(s) <= LARGEST for s in sides)
    if not good:
        bounds = f"WxH from 1x1 to {LARGEST}x{LARGEST}"
        raise ValueError(f"size must be {bounds} (got {size!r})")


def saved_source(recipe: Mapping[str, Any]) -> dict[str, str | int]:
    """Return the source in a recipe. Raises ``ValueError`` if there can be no such source."""
    said = recipe.get("source", {})
    section(SavedSource, said, "source")
    return dict(said)
