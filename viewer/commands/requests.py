"""Options that several verbs share, each declared once: base classes of their requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, ClassVar

from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.state import LARGEST_ZOOM, SMALLEST_ZOOM
from wheatstone.viewer.options import (
    Option,
    Pipelines,
    choice_option,
    float_option,
    for_pipelines,
    int_option,
    parameter_options,
    pipeline_option,
    size,
    text_option,
)
from wheatstone.viewer.parser import check_first
from wheatstone.viewer.scenes import SCENES, SCENES_SHOW
from wheatstone.viewer.sources.layouts import LAYOUTS
from wheatstone.viewer.sources.levelling import RECTIFY
from wheatstone.viewer.sources.said import DECODING

SCENE = "built-in scene, shown without LEFT"
"""The heading of the options for the built-in scene."""
CAMERAS = "cameras; `wheatstone sources` lists them"
"""The heading of the options for cameras."""


@dataclass(frozen=True, kw_only=True)
class PipelineWord:
    """A pipeline that the first word names; it decides which options there are.

    Attributes:
        named: whether the first word names it.
        first_words: the names that the first word is compared with, to suggest a similar one.
    """

    first_words: ClassVar[tuple[str, ...]] = tuple(PIPELINES)
    pipeline: Pipeline = field(default_factory=lambda: PIPELINES["sgm"])
    named: bool = field(default=False, compare=False)

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Take the first word if it names a pipeline."""
        rest = list(words)
        named = bool(rest) and rest[0] in PIPELINES
        check_first(rest, cls.first_words, "pipeline")
        pipeline = PIPELINES[rest.pop(0) if named else "sgm"]
        return rest, {"pipeline": pipeline, "named": named}, (pipeline,)


def _variant(pipelines: Pipelines) -> Option:
    names = tuple(variant.name for variant in pipelines[0].variants)
    help = f"one of {', '.join(names)}; default: the fastest this machine can run"
    return Option(Control(help, "choice", choices=names), "V")


def preset(pipelines: Pipelines) -> Option:
    """Make the option ``--preset``, hidden for a pipeline without presets."""
    names = tuple(pipelines[0].presets)
    help = f"named settings: {', '.join(names)}; single options override them"
    return Option(Control(help, "choice", choices=names), "P", hidden=not names)


@dataclass(frozen=True, kw_only=True)
class PipelineOption:
    """A pipeline that an option names, with a variant and a preset of it."""

    pipeline: Pipeline = pipeline_option()
    variant: str | None = for_pipelines(_variant)
    preset: str | None = for_pipelines(preset)

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Look for the pipeline, because the other options depend on it."""
        declared = {one.name: one for one in fields(cls)}["pipeline"]
        names = [next_word for word, next_word in pairwise(words) if word == "--pipeline"]
        names += [w.partition("=")[2] for w in words if w.startswith("--pipeline=")]
        known = declared.metadata["option"].control.choices
        pipeline = PIPELINES[names[-1] if names and names[-1] in known else known[0]]
        return list(words), {"pipeline": pipeline}, (pipeline,)


@dataclass(frozen=True, kw_only=True)
class ParameterOptions:
    """The parameters of the pipeline that the command line gives, by name."""

    params: Mapping[str, Any] = parameter_options()


def left_word(help: str, **traits: Any) -> Any:
    """Declare the first input; every verb describes its own."""
    return text_option(help, "LEFT", positional=True, **({"nargs": "?"} | traits))


@dataclass(frozen=True, kw_only=True)
class PairWords:
    """The inputs: a left and a right view, or one input that holds both."""

    left: str | None = left_word("image or video file, or folder of left and right images")
    right: str | None = text_option(
        "image file, video or folder", "RIGHT", positional=True, nargs="?"
    )


@dataclass(frozen=True, kw_only=True)
class SceneOptions(PairWords):
    """The inputs, or the built-in scene."""

    heading: ClassVar[str] = SCENE
    scene: str | None = choice_option(
        SCENES, "which one; " + "; ".join(f"{n}: {shows}" for n, shows in SCENES_SHOW.items())
    )
    seed: int | None = int_option("its layout, colours and textures")


def size_option(help: str, **traits: Any) -> Any:
    """Declare a width and a height, WxH."""
    return text_option(help, "WxH", read=size, **traits)


@dataclass(frozen=True, kw_only=True)
class SizedSceneOptions(SceneOptions):
    """The inputs, or the built-in scene at a size."""

    heading: ClassVar[str] = SCENE
    scene_size: tuple[int, int] | None = size_option("its size; default: 640x480")


CALIBRATIONS = (".yml", ".yaml", ".xml", ".json", ".toml", ".conf", ".txt", ".gz")
"""The suffixes of calibration files."""


def calibration_option(help: str, **traits: Any) -> Any:
    """Declare the first calibration file.

    Args:
        help: its use, and the default.
    """
    known = (
        "Middlebury's calib.txt, KITTI's projections, OpenCV's YAML, XML or JSON, ROS's two "
        "camera_info, Kalibr's camchain, ZED's .conf, or a rig.toml; "
    )
    return text_option(known + help, "FILE [FILE]", **traits)


def layout_option(where: str = "each picture", **traits: Any) -> Any:
    """Declare where the views lie in pictures of both."""
    help = f"where the views lie in {where}; default: found out where the halves match"
    return choice_option(LAYOUTS, help, **traits)


def second_calibration_option(**traits: Any) -> Any:
    """Declare the second calibration file."""
    help = "the second file, where there are two: --calibration LEFT.yaml RIGHT.yaml names it, too"
    return text_option(help, "FILE", **traits)


class TwoCalibrations:
    """Base class of requests where ``--calibration FILE FILE`` gives both calibration files."""

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Rewrite the words; see ``both_calibrations``."""
        return super().pipelines_of(both_calibrations(words))  # type: ignore[misc,no-any-return]


def both_calibrations(words: Sequence[str]) -> list[str]:
    """Rewrite ``--calibration FILE FILE`` as the two options that it stands for.

    A word after the first file is a second one if it has the suffix of a calibration file, so that
    images are not mistaken for one.
    """
    found: list[str] = []
    for number, this in enumerate(words):
        one, two = (words[number - back] if number >= back else "" for back in (1, 2))
        follows = one.startswith("--calibration=") or two == "--calibration"
        is_file = not this.startswith("-") and this.lower().endswith(CALIBRATIONS)
        found += ["--calibration-right", this] if follows and is_file else [this]
    return found


@dataclass(frozen=True, kw_only=True)
class CaptureOptions:
    """What is requested from a camera; see ``Capture``."""

    heading: ClassVar[str] = CAMERAS
    video_size: str | None = text_option(
        "of a whole picture, that the camera is asked for; what it gives instead is said", "WxH"
    )
    frame_rate: float | None = float_option("frames a second that it is asked for", metavar="N")
    input_format: str | None = text_option(
        "pixel format or codec that it is asked for, such as mjpeg or yuyv422", "NAME"
    )


@dataclass(frozen=True, kw_only=True)
class TruthOptions:
    """The ground truth of the inputs."""

    heading: ClassVar[str] = TruthChoice.heading
    truth: str | None = text_option(
        "of LEFT: PFM, NPY, TIFF, or PNG or PGM of integers; default: what lies beside LEFT", "FILE"
    )
    truth_scale: float | None = float_option(
        "integers of it per pixel of disparity; default: 256 for 16 bits, 1 for 8",
        SMALLEST_ZOOM,
        LARGEST_ZOOM,
    )


@dataclass(frozen=True, kw_only=True)
class SourceOptions(TwoCalibrations, CaptureOptions, TruthOptions, SizedSceneOptions):
    """All options that select a source, as ``view`` takes them."""

    heading: ClassVar[str] = Look.heading
    left: str | None = left_word(
        "image or video file, folder of left and right images, camera (/dev/video0), "
        "stream (rtsp://...), pipe (-), test source (lavfi:testsrc2), or a screenshot to restore; "
        "beside an image named left, its right one is found"
    )
    scene_size: tuple[int, int] | None = size_option(
        "its size; default: 640x480, for `render` --size"
    )
    calibration: str | None = calibration_option(
        "of LEFT and RIGHT, or of what sees the scene; default: beside LEFT"
    )
    calibration_right: str | None = second_calibration_option()
    decoding: str | None = choice_option(
        DECODING, "who decodes videos: gpu: a GPU what it can; software: the CPU; default: gpu"
    )
    layout: str | None = layout_option()
    rectify: str | None = choice_option(
        RECTIFY,
        "auto: by the features of LEFT and RIGHT, without a calibration; off: not at all; "
        "default: as the calibration says",
    )
