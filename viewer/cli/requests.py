"""Options that several subcommands share, each declared once, in base classes."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.gpu.own_variants import TIME_LIMIT
from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipeline import MOST_BANDS, Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.cameras.formats.detection import CALIBRATIONS
from wheatstone.viewer.io.sources.source_spec import IMAGE_OPTIONS, OPTIONS, SourceSpec
from wheatstone.viewer.options import (
    Option,
    Pipelines,
    declared,
    float_option,
    for_pipelines,
    int_option,
    parameter_options,
    path_option,
    peers_of,
    pipeline_option,
    real_number,
    size,
    text_option,
)
from wheatstone.viewer.parser import Request, check_first

SCENE = "built-in scene, used without LEFT"
"""The heading of the options for the built-in scene."""
CAMERAS = "cameras; `wheatstone sources` lists them"
"""The heading of the options for cameras."""
PEER_STARTS = ("onnx:", "cmd:")
"""How variants begin that are a network or a program; see ``viewer.run.peers.own_peer``."""
OWN_KERNELS = "your own kernels; `wheatstone kernel` creates and checks them"
"""The heading of the option that loads them."""
OWN_PROGRAMS = "external programs; see docs/models.md"
"""The heading of their time limit."""
PROGRAM_SECONDS = "--program-seconds"
SHORTEST_LIMIT, LONGEST_LIMIT = 0.1, 1e6  # seconds


@dataclass(frozen=True, kw_only=True)
class VerbRequest(Request):
    """The base class of all subcommands' options: the options that every subcommand takes."""

    heading: ClassVar[str] = OWN_KERNELS
    kernel: tuple[Path, ...] = path_option(
        "folder of your own kernels, added as a variant; may be repeated",
        "FOLDER",
        repeated=True,
    )
    program_seconds: float = float_option(
        "time limit in seconds of the external program cmd:'PROGRAM ...', for one pair; default: "
        f"{TIME_LIMIT:g}",
        SHORTEST_LIMIT,
        LONGEST_LIMIT,
        "S",
        default=TIME_LIMIT,
        heading=OWN_PROGRAMS,
    )


def words_after(option: str, words: Sequence[str]) -> list[str]:
    """List the values of an option in a command line that is not yet parsed."""
    given = [next_word for word, next_word in pairwise(words) if word == option]
    return given + [w.partition("=")[2] for w in words if w.startswith(f"{option}=")]


def kernel_folders(words: Sequence[str]) -> list[Path]:
    """List the folders that ``--kernel`` names in a command line that is not yet parsed."""
    return list(map(Path, words_after("--kernel", words)))


def peer_names(words: Sequence[str]) -> list[str]:
    """List the networks and programs that the command line names as variants."""
    values = (w.partition("=")[2] if w.startswith("--") else w for w in words)
    return [value for value in values if value.startswith(PEER_STARTS)]


def program_seconds(words: Sequence[str]) -> float:
    """Return the time limit of external programs in seconds; the default if it is invalid."""
    with suppress(ValueError, IndexError):
        return real_number(words_after(PROGRAM_SECONDS, words)[-1], SHORTEST_LIMIT, LONGEST_LIMIT)
    return TIME_LIMIT


@dataclass(frozen=True, kw_only=True)
class PipelineWord:
    """Base class of options whose first argument names the pipeline, by default ``sgm``.

    Attributes:
        named: whether the first word names it.
        first_words: the names that the first word is compared with, to suggest a similar one.
    """

    first_words: ClassVar[tuple[str, ...]] = tuple(PIPELINES)
    pipeline: Pipeline = field(default_factory=lambda: PIPELINES["sgm"])
    named: bool = field(default=False, compare=False)

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Parse the first argument if it names a pipeline; also return the other arguments."""
        rest = list(words)
        named = bool(rest) and rest[0] in PIPELINES
        check_first(rest, cls.first_words, "pipeline")
        pipeline = PIPELINES[rest.pop(0) if named else "sgm"]
        return rest, {"pipeline": pipeline, "named": named}, (pipeline,)


def _variant(pipelines: Pipelines) -> Option:
    names = tuple(variant.name for variant in pipelines[0].variants)
    help = f"implementation: {', '.join(names)}; default: the fastest that this machine can run"
    return Option(Control(help + peers_of(pipelines), "choice", choices=names), "V")


def preset(pipelines: Pipelines) -> Option:
    """Return the option ``--preset``, hidden for a pipeline without presets."""
    names = tuple(pipelines[0].presets)
    help = f"preset of parameters: {', '.join(names)}; options of single parameters override it"
    return Option(Control(help, "choice", choices=names), "P", hidden=not names)


def _presets(pipelines: Pipelines) -> Option:
    one = preset(pipelines)
    help = f"{one.control.help}; may be repeated, to compare presets"
    return replace(one, control=replace(one.control, help=help), repeated=True, default=())


@dataclass(frozen=True, kw_only=True)
class PipelineOption:
    """Base class with the options ``--pipeline`` and ``--variant``."""

    pipeline: Pipeline = pipeline_option()
    variant: str | None = for_pipelines(_variant)

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Return the pipeline that ``--pipeline`` names, on which other options depend."""
        declared = {one.name: one for one in fields(cls)}["pipeline"]
        names = words_after("--pipeline", words)
        known = declared.metadata["option"].control.choices
        pipeline = PIPELINES[names[-1] if names and names[-1] in known else known[0]]
        return list(words), {"pipeline": pipeline}, (pipeline,)


@dataclass(frozen=True, kw_only=True)
class PresetOption(PipelineOption):
    """Base class of requests with the option ``--preset``."""

    preset: str | None = for_pipelines(preset)


@dataclass(frozen=True, kw_only=True)
class PresetsOption(PipelineOption):
    """Base class of requests with the option ``--preset``, which may be repeated."""

    preset: tuple[str, ...] = for_pipelines(_presets, default=())


@dataclass(frozen=True, kw_only=True)
class ParameterOptions:
    """Base class of options for a pipeline's parameters."""

    params: Mapping[str, Any] = parameter_options()


@dataclass(frozen=True, kw_only=True)
class BandOption:
    """Base class with the option that divides large images into bands of rows."""

    bands: int | None = int_option(
        "number of bands of rows in which an image is computed; default: the fewest that fit into "
        "free memory, and no bands if the whole image fits",
        1,
        MOST_BANDS,
    )


def source_option(name: str, help: str = "", **traits: Any) -> Any:
    """Declare an option that sets a field of ``SourceSpec``.

    Args:
        help: replaces the help that the field declares.
    """
    metadata = OPTIONS[name].metadata
    control = metadata["control"]
    return declared(
        Option(replace(control, help=help or control.help), metadata["metavar"], **traits)
    )


def image_options(options: object) -> dict[str, Any]:
    """Return the given options about images other than their paths, such as the ground truth."""
    values = {name: getattr(options, name, None) for name in IMAGE_OPTIONS}
    return {name: value for name, value in values.items() if value is not None}


def check_trusted(file: Path, spec: SourceSpec, seal: object = "") -> None:
    """Raise ``ValueError`` if untrusted settings name files outside their own folder."""
    from wheatstone.viewer.settings.trust import foreign_files

    if foreign := foreign_files(file, spec, seal):
        raise ValueError(
            f"{file}: names {', '.join(foreign)}, outside its folder; "
            "name the images on the command line, or give --trust-sources"
        )


def left_word(help: str, **traits: Any) -> Any:
    """Declare the argument LEFT, the first input, with a subcommand's own help text."""
    return text_option(help, "LEFT", positional=True, **({"nargs": "?"} | traits))


@dataclass(frozen=True, kw_only=True)
class PairWords:
    """Base class of options for input images: two views, or one input with both."""

    left: str | None = left_word("image or video file, or folder of left and right images")
    right: str | None = source_option("right", positional=True, nargs="?")


@dataclass(frozen=True, kw_only=True)
class SceneOptions(PairWords):
    """Base class of options for input images, or the built-in scene instead."""

    heading: ClassVar[str] = SCENE
    scene: str | None = source_option("scene")
    seed: int | None = source_option("seed")


def size_option(help: str, **traits: Any) -> Any:
    """Declare an option for a size in pixels, written as WxH."""
    return text_option(help, "WxH", read=size, **traits)


@dataclass(frozen=True, kw_only=True)
class SizedSceneOptions(SceneOptions):
    """Base class of options for input images, or the built-in scene at a chosen size."""

    heading: ClassVar[str] = SCENE
    scene_size: tuple[int, int] | None = source_option("size", read=size)


def calibration_option(cameras: str, default: str = "the file next to LEFT", **traits: Any) -> Any:
    """Declare the option for the first calibration file.

    Args:
        cameras: whose calibration it is.
        default: the file that is used without the option.
    """
    help = (
        f"calibration of {cameras}: Middlebury's calib.txt, KITTI's projections, OpenCV's YAML, "
        "XML or JSON, ROS's two camera_info, Kalibr's camchain, ZED's .conf, a rig.toml, or "
        f"another format in docs/calibration.md; default: {default}"
    )
    return text_option(help, "FILE [FILE]", **traits)


@dataclass(frozen=True, kw_only=True)
class CalibrationAnswers:
    """Options for values that a calibration file does not contain."""

    heading: ClassVar[str] = "calibration"
    calibration_unit: str | None = source_option("calibration_unit")
    cameras: str | None = source_option("cameras")
    calibration_scale: str | None = source_option("calibration_scale")
    balance: float | None = source_option("balance")


@dataclass(frozen=True, kw_only=True)
class PairCalibration(CalibrationAnswers):
    """Options for the calibration of pairs."""

    heading: ClassVar[str] = "calibration"
    baseline: float | None = source_option("baseline")


class TwoCalibrations:
    """Base class of options where ``--calibration FILE FILE`` gives both calibration files."""

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Parse the pipelines after splitting ``--calibration FILE FILE`` into two options."""
        return super().pipelines_of(both_calibrations(words))  # type: ignore[misc,no-any-return]


def both_calibrations(words: Sequence[str]) -> list[str]:
    """Replace ``--calibration FILE FILE`` in a command line by two options.

    A word after the first file is a second one if it has the suffix of a calibration file, so that
    images are not mistaken for one.
    """
    files: list[str] = []
    for number, this in enumerate(words):
        one, two = (words[number - back] if number >= back else "" for back in (1, 2))
        follows = one.startswith("--calibration=") or two == "--calibration"
        is_file = not this.startswith("-") and this.lower().endswith(CALIBRATIONS)
        files += ["--calibration-right", this] if follows and is_file else [this]
    return files


_RANGE = re.compile(r"([0-9]{0,9}):([0-9]{0,9})")
_COUNT = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True)
class FrameRange:
    """The frames that ``--frames`` requests, by number or by first and last.

    Attributes:
        words: as the user wrote them.
        count: their number, from the frame shown on; None: from ``first`` to before ``stop``.
        first: index of the first frame, from 0.
        stop: index after the last frame; None: after the source's last.
    """

    words: str
    count: int | None = None
    first: int = 0
    stop: int | None = None

    @property
    def endless(self) -> bool:
        """Return whether the range extends to the source's last frame."""
        return self.count is None and self.stop is None

    def numbers(self, shown: int, length: int, name: str) -> range:
        """Return the numbers of the requested frames of a source.

        If a count exceeds the source, its frames repeat from the first, as in the window, and
        their numbers keep increasing.

        Args:
            shown: index of the frame shown.
            length: number of frames of the source.
            name: of the source, for messages.

        Raises:
            ValueError: the source has no such frames.
        """
        if self.count is not None:
            return range(shown, shown + self.count)
        stop = length if self.stop is None else self.stop
        if not self.first < stop <= length:
            raise ValueError(f"--frames {self.words}: {name} has the frames 0 to {length - 1}")
        return range(self.first, stop)


def frame_range(text: str) -> FrameRange:
    """Parse the value of ``--frames``; raise ``ValueError`` if it is invalid."""
    if _COUNT.fullmatch(text):
        if int(text) < 1:
            raise ValueError(f"must be 1 or more (got {text})")
        return FrameRange(text, int(text))
    if not (match := _RANGE.fullmatch(text)):
        raise ValueError(f"must be a number, A:B, A:, :B or : (got {text!r})")
    first, stop = int(match[1] or 0), int(match[2]) if match[2] else None
    if stop is not None and stop <= first:
        raise ValueError(f"{text} contains no frame: B must be greater than A")
    return FrameRange(text, None, first, stop)
