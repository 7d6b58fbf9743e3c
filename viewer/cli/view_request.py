"""The options of the subcommands that show a view: ``view``, ``render`` and ``serve``.

Parameters of pipelines and the viewer's own choices declare their own options.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.viewer.choices.cloud import CloudChoice
from wheatstone.viewer.choices.declared import SHOWN
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.panel_choices import Playing, RecordingChoice
from wheatstone.viewer.choices.unfolding import UnfoldingChoice
from wheatstone.viewer.cli.requests import (
    CAMERAS,
    SCENE,
    BandOption,
    FrameRange,
    PairCalibration,
    PipelineWord,
    SizedSceneOptions,
    TwoCalibrations,
    VerbRequest,
    calibration_option,
    frame_range,
    left_word,
    size_option,
    source_option,
)
from wheatstone.viewer.io.sources.value_files import SUFFIXES
from wheatstone.viewer.options import (
    Pipelines,
    choice_option,
    flag_option,
    int_option,
    origin,
    path_option,
    size,
    switch_option,
    text_option,
)
from wheatstone.viewer.settings.choice_options import ShownOptions, choice_options

DISPLAY_MODES = ("auto", "interop", "copy")
CODECS = ("auto", "jpeg", "h264", "png")
QUALITY = 80


@dataclass(frozen=True, kw_only=True)
class CaptureOptions:
    """Options for capturing from a camera; see ``Capture``."""

    heading: ClassVar[str] = CAMERAS
    video_size: str | None = source_option("video_size")
    frame_rate: float | None = source_option("frame_rate")
    input_format: str | None = source_option("input_format")


@dataclass(frozen=True, kw_only=True)
class TruthOptions:
    """Options for the ground truth of the input images."""

    heading: ClassVar[str] = TruthChoice.heading
    truth: str | None = source_option("truth")
    truth_scale: float | None = source_option("truth_scale")


@dataclass(frozen=True, kw_only=True)
class SourceOptions(
    TwoCalibrations, PairCalibration, CaptureOptions, TruthOptions, SizedSceneOptions
):
    """All options of ``view`` that select a source."""

    heading: ClassVar[str] = Look.heading
    left: str | None = left_word(
        "image or video file, folder of left and right images, camera (/dev/video0), "
        "stream (rtsp://...), pipe (-), test source (lavfi:testsrc2), or a screenshot to restore; "
        "the right image next to an image named left is opened as well"
    )
    scene_size: tuple[int, int] | None = source_option(
        "size", "size of the scene; default: 640x480, or --size of `render`", read=size
    )
    calibration: str | None = calibration_option(
        "LEFT and RIGHT, or of the rig that sees the scene"
    )
    calibration_right: str | None = source_option("calibration_right")
    decoding: str | None = source_option("decoding")
    layout: str | None = source_option("layout")
    topics: str | None = source_option("topics")
    rectify: str | None = source_option("rectify")
    tone: str | None = source_option("tone")
    values_in: str | None = source_option("values_in")


@dataclass(frozen=True, kw_only=True)
class WindowOptions:
    """Options for the size of the window or image, and how results are displayed."""

    heading: ClassVar[str] = SHOWN
    size: tuple[int, int] | None = size_option("size of the picture or window")
    display: str = choice_option(
        DISPLAY_MODES,
        "transfer of CUDA results to OpenGL; auto: interop if it works, else copy",
        default="auto",
    )


B_VALUES = f"file of disparities, read as with --values-in px ({', '.join(SUFFIXES)})"


@dataclass(frozen=True, kw_only=True)
class ValuesOfB:
    """The option ``--b-values``, which shows a file of values as result B of the comparison."""

    heading: ClassVar[str] = Mixing.heading
    b_values: Path | None = path_option(f"{B_VALUES}; B shows them instead of a result")


RECORD = "recording from the first picture on: the view (.mp4), or raw pairs (.mkv or a folder)"


SETTINGS = "settings"
"""The heading of the options for settings."""


@dataclass(frozen=True, kw_only=True)
class FreshOption:
    """The option of windows that ignores the last session."""

    heading: ClassVar[str] = SETTINGS
    fresh: bool = flag_option("start with defaults, not with the settings of the last session")


@dataclass(frozen=True, kw_only=True)
class SettingsOptions(FreshOption):
    """Options for the settings to restore and to save."""

    heading: ClassVar[str] = SETTINGS
    settings: Path | None = path_option(
        "settings file to restore, in TOML; options override its values"
    )
    trust_sources: bool = flag_option(
        "without confirmation, open files that a screenshot or settings from someone else name "
        "outside their own folder"
    )
    no_save: bool = flag_option(
        "do not save the session for the next start, nor the source in the list of recent ones"
    )
    bars: bool | None = switch_option(
        "show menu bar and toolbar above the picture; default: on in a window, off with --script"
    )


@dataclass(frozen=True, kw_only=True)
class WindowRequest(
    SettingsOptions,
    ShownOptions,
    ValuesOfB,
    WindowOptions,
    SourceOptions,
    BandOption,
    PipelineWord,
    VerbRequest,
):
    """Base class of the options of ``view``, ``render`` and ``serve``, which show a source.

    Attributes:
        in_window: whether the program's window is shown, on a screen or in a browser.
    """

    prog: ClassVar[str] = "wheatstone {verb} {pipeline}"
    headings: ClassVar[tuple[str, ...]] = (
        *(SCENE, "parameters of {pipeline}", SHOWN, Look.heading, CAMERAS, CloudChoice.heading),
        *(UnfoldingChoice.heading, Playing.heading, Mixing.heading, TruthChoice.heading),
        *(RecordingChoice.heading, SETTINGS),
    )
    in_window: ClassVar[bool] = True
    record: Path | None = path_option(RECORD, heading=RecordingChoice.heading)

    @classmethod
    def describe(cls, help: str, pipelines: Pipelines) -> str:
        """Return the subcommand's help text, followed by the pipeline's."""
        return f"{help} {pipelines[0].help}"

    @property
    def names_scene(self) -> bool:
        """Return whether the command line names the built-in scene."""
        return bool(self.scene or self.scene_size) or self.seed is not None

    @property
    def names_source(self) -> bool:
        """Return whether the command line names a source of frames."""
        return bool(self.left) or self.names_scene

    @property
    def names_pipeline(self) -> bool:
        """Return whether the command line names a pipeline, or an option that belongs to one."""
        return self.named or any((self.params, self.preset, self.variant, self.view))


@dataclass(frozen=True, kw_only=True)
class ViewRequest(WindowRequest):
    """The options of ``view``, which opens a window."""

    verb: ClassVar[str] = "view"


@dataclass(frozen=True, kw_only=True)
class RenderRequest(WindowRequest):
    """The options of ``render``, which draws a view without a window, and writes files."""

    verb: ClassVar[str] = "render"
    in_window: ClassVar[bool] = False
    record: Path | None = path_option(
        f"{RECORD}; in `render`, while a script plays", heading=RecordingChoice.heading
    )
    choices: Mapping[str, Any] = choice_options("render")
    out: Path | None = path_option(
        "output file: picture of the view (.png), pictures numbered by frame (shot-%03d.png), "
        "or a film (.mp4, .mkv, .mov)"
    )
    frames: FrameRange | None = text_option(
        "frames of a film or of numbered files: N frames from --frame on, or A to B - 1; default: "
        "as many as the sequence has",
        "N|A:B",
        read=frame_range,
    )
    script: Path | None = path_option(
        "script of user actions to play, with panels: keys, drags and waits, one step per line; a "
        "film shows the frames for which the script waits, 30 per second"
    )
    values: tuple[Path, ...] = path_option(
        "output file for the values of the view: .npy, .tiff, .pfm, or .png (disparity: KITTI's "
        "16 bit; depth: millimetres in 16 bit); with a number (disp-%04d.npy), one file per "
        "frame; may be repeated",
        repeated=True,
    )
    image: tuple[str, ...] = text_option(
        "image to write with --values, such as depth: one for all files, or one for each, in order",
        "NAME",
        repeated=True,
    )
    cloud: Path | None = path_option(
        "output file for the points of the visible disparity, with colours: binary .ply or .pcd; "
        "see --axes"
    )

    @property
    def outputs(self) -> tuple[Path, ...]:
        """Return the output files that options name, without those of a script."""
        return tuple(path for path in (self.out, *self.values, self.cloud) if path)

    @property
    def film(self) -> Path | None:
        """Return the film to write; None if ``--out`` is not a film."""
        from wheatstone.viewer.io.files.film import is_film

        return self.out if self.out and is_film(self.out) else None


@dataclass(frozen=True, kw_only=True)
class ServingOptions:
    """Options for access from browsers, and for the images sent to them."""

    heading: ClassVar[str] = "serving"
    port: int = int_option("port to listen at; default: a free one", 0, 65535, default=0)
    host: str = text_option(
        "address to listen at (default: 127.0.0.1, for this machine only)",
        "H",
        default="127.0.0.1",
    )
    tls: tuple[Path, Path] | None = path_option(
        "certificate and key as PEM files; needed for other hosts", ("CERT", "KEY"), nargs=2
    )
    insecure: bool = flag_option(
        "listen at another host without TLS: others on the network can read and change all data"
    )
    read_only: bool = flag_option("do not open other files or write files")
    root: Path = path_option(
        "folder in which files are opened and written (default: the current one)",
        "DIR",
        default=Path(),
    )
    codec: str = choice_option(
        CODECS,
        "encoding of pictures; auto: JPEG, or H.264 if the connection is slow; still pictures are "
        "sent exactly",
        default="auto",
    )
    quality: int = int_option(
        f"quality of JPEG, from 1 to 100 (default: {QUALITY})", 1, 100, default=QUALITY
    )
    frame_origin: tuple[str, ...] = text_option(
        "origin of pages that may embed this page in a frame; may be repeated",
        "URL",
        read=origin,
        repeated=True,
    )


@dataclass(frozen=True, kw_only=True)
class ServeRequest(WindowRequest, ServingOptions):
    """The options of ``serve``, which shows the window in a browser."""

    verb: ClassVar[str] = "serve"
