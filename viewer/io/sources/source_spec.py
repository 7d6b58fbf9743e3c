"""The specification of a source of frames: files, cameras, streams or a built-in scene."""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from wheatstone.gpu.parameters import Control
from wheatstone.viewer.io.cameras.calibration_files import digest_of
from wheatstone.viewer.io.cameras.formats.content import METRES, Pair
from wheatstone.viewer.io.cameras.formats.detection import CalibrationChoices
from wheatstone.viewer.io.footage.address import Address, is_live
from wheatstone.viewer.io.footage.capture import Capture
from wheatstone.viewer.io.footage.planes import GPU, SOFTWARE
from wheatstone.viewer.io.reading.checks import LARGEST
from wheatstone.viewer.io.reading.documents import parsed
from wheatstone.viewer.io.reading.paths import resolved, with_uri, without_uri
from wheatstone.viewer.io.reading.typed_values import WrongValue, one_of, section, shown
from wheatstone.viewer.io.scenes import SCENES, SCENES_SHOW

LAYOUTS = ("pair", "side-by-side", "top-bottom", "half-side-by-side", "swapped")
"""The positions of the views in the pictures.

``pair``: each picture is a view. ``side-by-side``: the left half is the left view; ``swapped``: it
is the right one, or the first of two pictures is. ``top-bottom``: the upper half is the left view.
``half-side-by-side``: each half is a view squeezed to half its width, which is stretched back.
"""
RECTIFY = ("auto", "off")
"""How a pair is rectified without its calibration: by its features, or not at all."""
TONES = ("linear", "percentile", "clahe")
"""How 16-bit pixels become 8 bits: value // 257; the range of nearly all pixels of the first frame
as 0..255; or this, then contrast-limited adaptive histogram equalization of each view."""
DECODING = (GPU, SOFTWARE)
VALUE_UNITS = ("px", "m", "mm", "none")
"""Units of the values in a file that is shown as they are; ``px``: disparities in pixels."""
CAMERAS = re.compile(r"(\d{1,4})\s*,\s*(\d{1,4})", re.ASCII)
LARGEST_SEED = 2**31 - 1
"""The largest seed that an option can give."""


def _option(control: Control, metavar: str = "") -> Any:
    """Declare a field, None by default, that is also an option of the command line."""
    return field(default=None, metadata={"control": control, "metavar": metavar})


def _text(help: str, metavar: str) -> Any:
    return _option(Control(help, "text"), metavar)


def _choice(choices: tuple[str, ...], help: str) -> Any:
    return _option(Control(help, "choice", choices=choices))


@dataclass(frozen=True)
class SourceSpec:
    """A description of a source of frames and the options to open it; None means not given.

        >>> spec = SourceSpec(scene="garden", size=(96, 64))
        >>> SourceSpec.from_toml(spec.to_toml()) == spec
        True

    The fields are the keys of the section ``source`` in settings and screenshots, and the options
    of the command line. Without ``left`` the source is a built-in scene.

    Attributes:
        left: an image, a folder, a video, or the address of a camera or a stream.
        right: that of the right view; None if ``left`` holds both views, or for a single image.
        scene, seed, size: the built-in scene, and its (width, height) in pixels; by default
            640x480, or the size of the rig that sees it.
        calibration: a calibration of all frames; None: that next to each left image. A scene has
            its own, but can be rendered as the rig of a calibration sees it.
        calibration_right: the second of two files that belong together.
        calibration_sha256: the ``digest_of`` these files when the spec was saved.
        calibration_unit, cameras, calibration_scale, balance: the user's answers; see
            ``CalibrationChoices``.
        baseline: metres between the cameras, for a pair whose depth would be relative.
        topics: the names of one or two image topics of a robot recording, separated by a comma.
        values_in: the unit of the values in ``left``, which is no picture then; None: it is one.
        truth: the file of a pair's ground truth, or a folder for a video.
        truth_scale: stored values per pixel of disparity, for truth that does not contain it.
        video_size, frame_rate, input_format: the settings requested from a camera; see ``Capture``.

    Raises:
        ValueError: a value is impossible.
    """

    left: str | None = _text(
        "left view or both views: image, folder, video, camera or stream", "LEFT"
    )
    right: str | None = _text("right view: image, video or folder", "RIGHT")
    _: KW_ONLY
    scene: str | None = _choice(
        SCENES,
        "name of the scene; "
        + "; ".join(f"{name}: {shows}" for name, shows in SCENES_SHOW.items()),
    )
    seed: int | None = _option(
        Control(
            "seed of the scene's layout, colours and textures",
            "int",
            low=-LARGEST_SEED,
            high=LARGEST_SEED,
        ),
        "N",
    )
    size: tuple[int, int] | None = _text("size of the scene; default: 640x480", "WxH")
    calibration: str | None = _text(
        "calibration of the cameras; default: the file next to LEFT", "FILE [FILE]"
    )
    calibration_right: str | None = _text(
        "second file of a calibration in two files; the same as the second FILE of --calibration",
        "FILE",
    )
    calibration_sha256: str | None = None
    calibration_unit: str | None = _choice(
        tuple(METRES),
        "unit of the lengths in a calibration; default: that of the file, else that of its format",
    )
    cameras: str | None = _text(
        "numbers of the left and the right camera in a calibration of several cameras, such as 0,1",
        "N,N",
    )
    calibration_scale: str | None = _choice(
        ("whole", "any"),
        "scaling of a calibration to images of another size; whole: by integers and their "
        "inverses; any: by any ratio that is about equal for width and height; default: whole",
    )
    balance: float | None = _option(
        Control(
            "extent of rectified views, from 0: only pixels inside the images, to 1: all pixels of "
            "the images; default: 0, except that fisheye cameras keep their focal length",
            "float",
            low=0.0,
            high=1.0,
        ),
        "X",
    )
    baseline: float | None = _option(
        Control(
            "distance between the cameras in metres, if no calibration states it; without a "
            "calibration, the focal length is assumed to be the image's width",
            "float",
            low=1e-4,
            high=1e3,
        ),
        "M",
    )
    decoding: str | None = _choice(
        DECODING,
        "decoder of videos; gpu: the GPU, if it can decode them, else the CPU; software: the CPU; "
        "default: gpu, or software in worker processes",
    )
    layout: str | None = _choice(
        LAYOUTS, "layout of the views in each picture; default: detected from matching halves"
    )
    topics: str | None = _text(
        "image topics of a robot recording: one for each view, or one for both; default: detected "
        "from their names",
        "TOPIC[,TOPIC]",
    )
    rectify: str | None = _choice(
        RECTIFY,
        "rectification; auto: by features of LEFT and RIGHT, without a calibration; off: none; "
        "default: by the calibration",
    )
    tone: str | None = _choice(
        TONES,
        "conversion of 16-bit images to 8 bits; linear: value // 257; percentile: the range of the "
        "first frame without 0.1 % at both ends; clahe: percentile, then contrast equalization by "
        "tiles; default: linear",
    )
    values_in: str | None = _choice(
        VALUE_UNITS,
        "unit of LEFT, if it is a file of values to show directly: PFM, NPY, TIFF, or PNG or PGM "
        "of integers; px: disparities in pixels",
    )
    truth: str | None = _text(
        "ground truth of LEFT: PFM, NPY, TIFF, or PNG or PGM of integers; default: the file next "
        "to LEFT",
        "FILE",
    )
    truth_scale: float | None = _option(
        Control(
            "stored integers per pixel of disparity in the ground truth; default: 256 for 16 bits, "
            "1 for 8 bits",
            "float",
            low=0.05,
            high=256.0,
        ),
        "X",
    )
    video_size: str | None = _text(
        "size of the whole picture, requested from the camera; a different size is reported", "WxH"
    )
    frame_rate: float | None = _option(
        Control("frames per second, requested from the camera", "float", low=-1e9, high=1e9), "N"
    )
    input_format: str | None = _text(
        "pixel format or codec, requested from the camera, such as mjpeg or yuyv422", "NAME"
    )

    def __post_init__(self) -> None:
        for declared in fields(self):
            value, control = getattr(self, declared.name), declared.metadata.get("control")
            if value is not None and control and control.kind == "choice":
                one_of(value, control.choices, declared.name)
        if self.seed is not None and self.seed < 0:
            raise ValueError(f"seed must be 0 or more (got {self.seed})")
        if self.baseline is not None and not 1e-4 <= self.baseline <= 1e3:
            raise ValueError(f"baseline must be in 0.0001 to 1000 m (got {self.baseline})")
        if self.size is not None and not all(1 <= side <= LARGEST for side in self.size):
            raise ValueError(_bad_size("{}x{}".format(*self.size)))
        if self.topics is not None:
            _check_topics(self.topics)
        if self.calibration_right and not self.calibration:
            right = self.calibration_right
            raise ValueError(f"the right camera's calibration needs the left one's ({right})")
        _ = self.capture, self.calibration_choices  # raise for impossible settings

    def __bool__(self) -> bool:
        """Return whether any field of the source specification is given.

        None is given for frames in memory and pipes.
        """
        return any(getattr(self, declared.name) is not None for declared in fields(self))

    @property
    def capture(self) -> Capture:
        """Return the settings that the source requests from a camera."""
        return Capture(self.video_size, self.frame_rate, self.input_format)

    @property
    def calibration_choices(self) -> CalibrationChoices:
        """Return the user's values for the calibration that calibration files do not contain."""
        if self.balance is not None and not 0 <= self.balance <= 1:
            raise ValueError(f"balance must be in [0, 1] (got {self.balance})")
        cameras = _cameras(self.cameras) if self.cameras is not None else None
        return CalibrationChoices(
            self.calibration_unit, cameras, self.balance, self.calibration_scale
        )

    @property
    def calibrations(self) -> tuple[str, ...]:
        """List the calibration files: one, two that belong together, or none."""
        return tuple(file for file in (self.calibration, self.calibration_right) if file)

    @property
    def files(self) -> tuple[str, ...]:
        """List the files, folders and addresses that the source specification names."""
        named = self.left, self.right, *self.calibrations, self.truth
        return tuple(name for name in named if name)

    def changed(self, **values: Any) -> Self:
        """Copy the specification with other values for some fields."""
        return replace(self, **values)

    def without_calibration(self, **values: Any) -> Self:
        """Copy the specification without its calibration, with other values for some fields."""
        none = dict.fromkeys(CALIBRATION)
        return replace(self, **{**none, **values})

    def resolved(self) -> Self:
        """Copy the specification with absolute paths, and the current digest of its calibration.

        The copy is empty if an address cannot be opened again, as standard input.

        Raises:
            OSError, ValueError: a calibration cannot be read.
        """
        paths: dict[str, Any] = {}
        for name in ("left", "right", *CALIBRATION[:2], "truth"):
            if value := getattr(self, name):
                live = name in ("left", "right") and is_live(value)
                paths[name] = Address(value).word if live else str(resolved(value))
        if not all(paths.values()):
            return type(self)()
        files = [Path(paths[name]) for name in CALIBRATION[:2] if name in paths]
        digest = digest_of(files) if files else None
        if self.left:
            paths |= dict.fromkeys(SCENE)
        return replace(self, **paths, calibration_sha256=digest)

    def to_dict(self) -> dict[str, str | int]:
        """Return the given values as a dictionary for the section ``source`` of settings."""
        values = ((declared.name, getattr(self, declared.name)) for declared in fields(self))
        return {name: _plain(value) for name, value in values if value is not None}

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """Create a source specification from the dictionary in section ``source`` of settings.

        Raises:
            ValueError: a key is unknown, or a value impossible; the message names it.
        """
        if isinstance(values, Mapping):
            values = {name: _value(name, value) for name, value in values.items()}
        return section(cls, values, "source")

    def to_toml(self) -> str:
        """Return the source specification as TOML: the section ``source`` of settings."""
        import tomli_w

        named = {name: with_uri(value) for name, value in self.to_dict().items()}
        return tomli_w.dumps({"source": named})

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Create a source specification from TOML: the section ``source`` of settings.

        Raises:
            ValueError: the text is damaged, or the source is impossible.
        """
        values = parsed(text, "TOML").get("source", {})
        named = isinstance(values, dict)
        return cls.from_dict({k: without_uri(v) for k, v in values.items()} if named else values)


def _value(name: str, value: Any) -> Any:
    """Convert a value from settings to a field's type: sizes and fractions are texts there."""
    if name == "size" and isinstance(value, str):
        sides = value.split("x")
        if len(sides) != 2 or not all(side.isdecimal() and len(side) < 6 for side in sides):
            raise WrongValue(f"source: {_bad_size(repr(value))}", ("source", name))
        return tuple(map(int, sides))
    if name in ("truth_scale", "frame_rate", "balance", "baseline") and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            words = f"source: {name} must be a number (got {shown(repr(value))})"
            raise WrongValue(words, ("source", name)) from None
    return value


def _cameras(text: str) -> Pair:
    """Parse the numbers of two cameras; raise ``ValueError`` if they are invalid."""
    match = CAMERAS.fullmatch(text)
    if not match or int(match[1]) == int(match[2]):
        raise ValueError(f"cameras must be two different numbers, such as 0,1 (got {shown(text)})")
    return int(match[1]), int(match[2])


def _check_topics(topics: str) -> None:
    """Raise ``ValueError`` unless the text names one topic, or two different ones."""
    names = [name.strip().strip("/") for name in topics.split(",")]
    if not all(names) or len(names) > 2 or len(set(names)) < len(names):
        raise ValueError(f"topics must be LEFT,RIGHT or one topic (got {shown(repr(topics))})")


def _bad_size(size: str) -> str:
    return f"size must be WxH from 1x1 to {LARGEST}x{LARGEST} (got {size})"


def _plain(value: Any) -> str | int:
    """Convert a field's value for settings: sizes and fractions become texts."""
    if isinstance(value, tuple):
        return "{}x{}".format(*value)
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return value  # type: ignore[no-any-return]


NO_SOURCE = SourceSpec()
CALIBRATION_CHOICES = ("calibration_unit", "cameras", "calibration_scale", "balance")
CALIBRATION = ("calibration", "calibration_right", "calibration_sha256", *CALIBRATION_CHOICES)
"""The fields of a calibration."""
SCENE = ("scene", "seed", "size")
"""The fields of a built-in scene."""
OPTIONS: Mapping[str, Field[Any]] = {
    declared.name: declared for declared in fields(SourceSpec) if declared.metadata
}
"""The fields that are options of the command line, by name."""
IMAGE_OPTIONS = tuple(name for name in OPTIONS if name not in ("left", "right", *SCENE))
"""The options that do not choose a source, but how it is opened."""
