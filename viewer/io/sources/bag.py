"""Robot recordings as sources: pairs of images from the topics of a ROS bag or an MCAP file."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration
from wheatstone.viewer.io.cameras.checks import checked_rig
from wheatstone.viewer.io.cameras.formats.ros import camera_infos, of_regions
from wheatstone.viewer.io.cameras.rig import Rig
from wheatstone.viewer.io.footage.bags.bag import Bag, BagTopic, damage
from wheatstone.viewer.io.footage.bags.chunked import CUT_OFF
from wheatstone.viewer.io.footage.bags.messages import (
    SECOND,
    TRANSFORM,
    RecordedImage,
    camera_of,
    image_of,
    stamp_bytes,
    stamp_of,
    translation_of,
)
from wheatstone.viewer.io.footage.bags.opening import open_bag
from wheatstone.viewer.io.footage.index import FrameIndex
from wheatstone.viewer.io.footage.pairing import PairedFrames, Positions, pair_frames
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.bag_images import RecordedPixels, recorded_pixels
from wheatstone.viewer.io.sources.bag_topics import calibration_topic, choose_topics, is_rectified
from wheatstone.viewer.io.sources.frame import TRIED, Pixels
from wheatstone.viewer.io.sources.frame_maker import calibration_notes, frame_maker
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.tone import Tone, measured_tone
from wheatstone.viewer.io.sources.video import DecodedPictures, VideoSource

SPECIAL = "baseline of camera_info is 0: depths are relative"
EXCHANGED = "its camera_info says that the left topic is the right camera; exchange the topics"
NO_STAMPS = "its images have no time stamps: the time of recording counts"
RECOVER = "cut off before its first image; try to recover it: rosbag reindex, or mcap recover"
CLOCKS = "the stamps of the topics do not fit each other: paired by the less exact recording time"


class _TopicDecoder:
    """A decoder of the images of a topic, which implements `PictureDecoder`.

    Attributes:
        tone: the mapping of 16 bits; None: linear.
    """

    tone: Tone | None = None
    by = "CPU"
    layout: str | None = None

    def __init__(self, bag: Bag, topic: BagTopic, order: Sequence[int]) -> None:
        self._bag, self._topic, self._order = bag, topic, order
        self.path = Path(f"{bag.path}: {topic.name}")
        self.shape: tuple[int, ...] = ()
        self.damaged = set[float]()

    def decode(self, position: int) -> tuple[RecordedImage, RecordedPixels]:
        """Read and decode the image at a position; else raise ``OSError`` or ``ValueError``."""
        content = self._bag.read(self._topic, self._order[position])
        with damage(self.path):
            image = image_of(self._topic, content)
        return image, recorded_pixels(self.path, image)

    def picture(self, position: int, stop: Callable[[], bool]) -> Pixels:
        """Decode an image, which must have the size of the topic's first image."""
        pixels = self.decode(position)[1].converted(self.path, self.tone).pixels
        if pixels.shape != self.shape:
            first, got = ("x".join(map(str, shape)) for shape in (self.shape, pixels.shape))
            raise ValueError(f"{self.path}: image {position} is {got}, the first one {first}")
        return pixels

    def close(self) -> None:
        """Do nothing: the source closes the recording."""


class TopicImages(DecodedPictures):
    """The images of a topic in a robot recording, decoded in advance.

    Attributes:
        stamps: the time stamps of its images in nanoseconds, rising.
        recorded: the times at which these images were recorded.
        index: the time stamps since the first one, which fractions of seconds can hold.
        remarks: notes on the stamps.
        first: the first image that can be read.
        shape: of its images.
    """

    def __init__(self, bag: Bag, topic: BagTopic) -> None:
        """Read the time stamps of all images, and decode the first readable one.

        ``begin_with`` starts the decoding of the others.

        Raises:
            OSError, ValueError: the recording cannot be read, or is damaged.
        """
        self.path, self._name = f"{bag.path}: {topic.name}", topic.name
        self._stamps(bag, topic)
        self.decoder: _TopicDecoder = _TopicDecoder(bag, topic, self._order)
        self._image, self.first = self._first()

    def begin_with(self, tone: Tone | None) -> None:
        """Start decoding in advance, with a mapping of 16-bit pixels to 8 bits; None: linear.

        Raises:
            ValueError: the first image cannot be converted to 8 bits.
        """
        self.decoder.tone = tone
        first = self.first.converted(self.decoder.path, tone)
        height, width = first.pixels.shape[:2]
        self.shape = self.decoder.shape = first.pixels.shape
        form = label(self._image.encoding) or "compressed"
        self.begin(self._name, form, height, width, first.pixels.nbytes)
        self.known = "; ".join((self.known, *first.notes))

    def _first(self) -> tuple[RecordedImage, RecordedPixels]:
        broken: list[Exception] = []
        for position in range(min(len(self.index), TRIED)):
            try:
                return self.decoder.decode(position)
            except (OSError, ValueError) as error:
                broken.append(error)
        raise broken[0]

    def _stamps(self, bag: Bag, topic: BagTopic) -> None:
        """Index the images by their stamps, or by the time of recording if they have none."""
        most, count = stamp_bytes(topic), len(topic.places)
        stamps_read = np.zeros(count, np.int64)
        for number in range(count):
            content = bag.read(topic, number, most)
            with damage(Path(self.path)):
                stamps_read[number] = stamp_of(topic, content)
        self.remarks: tuple[str, ...] = ()
        if not stamps_read.any():
            stamps_read, self.remarks = topic.places.times, (f"{label(topic.name)}: {NO_STAMPS}",)
        stamps, order = np.unique(stamps_read, return_index=True)
        if twice := count - len(stamps):
            note = f"{label(topic.name)}: {twice} images with the time stamp of another skipped"
            self.remarks += (note,)
        self._order = order.tolist()
        self.stamps = stamps
        self.index = FrameIndex(stamps - stamps[0], (0,), Fraction(1, SECOND))
        self.recorded = topic.places.times[order]


class BagSource(VideoSource):
    """A robot recording as a `Source`; several threads may request frames."""

    def _open(self, spec: SourceSpec) -> Sequence[DecodedPictures]:
        """Choose the topics, index their images, and read the calibration of the cameras."""
        self._bag = open_bag(self._paths[0])
        self._files = self._topics = list[TopicImages]()
        self._remarks = self._bag.remarks
        try:
            self.files = (*self._bag.files, *self.files[1:])
            self._choose(spec)
        except BaseException:
            self.close()
            raise
        return self._topics

    def _choose(self, spec: SourceSpec) -> None:
        try:
            chosen = choose_topics(self._bag.topics, spec.topics)
        except ValueError as error:
            empty = not any(len(topic.places) for topic in self._bag.topics)
            cut = empty and any(CUT_OFF in remark for remark in self._bag.remarks)
            raise ValueError(f"{self._paths[0]}: {RECOVER if cut else error}") from None
        self._topics.extend(TopicImages(self._bag, topic) for topic in chosen)
        tone = measured_tone(spec.tone, [topic.first.stored for topic in self._topics])
        for topic in self._topics:
            topic.begin_with(tone)
        self._remarks += tuple(note for topic in self._topics for note in topic.remarks)
        if len(chosen) == 2 and not spec.calibrations:
            height, width = self._topics[0].shape[:2]
            try:
                recorded = recorded_calibration(self._bag, chosen, (width, height))
            except ValueError as error:
                self._remarks += (f"camera_info ignored: {error}",)
                return
            if recorded:
                self._remarks += calibration_notes(spec, recorded)
                self._frames = frame_maker(spec, recorded)

    def _paired(self) -> tuple[PairedFrames, tuple[str, ...]]:
        """Pair the images of both topics by their time stamps, with notes for the user."""
        remarks = tuple(filter(None, self._remarks))
        if len(self._topics) < 2:
            every = np.arange(len(self._topics[0].index))
            self.begun = max(int(self._topics[0].stamps[0]), 0)
            return PairedFrames(every, every, aligned=False), remarks
        lengths = [len(topic.index) for topic in self._topics]
        pairs = pair_frames(*_since_first([topic.stamps for topic in self._topics]))
        if pairs.aligned:
            pairs, remarks = self._by_recording(), (*remarks, CLOCKS)
        count = len(pairs.left)
        if not count:
            names = " and ".join(topic.path for topic in self._topics)
            raise ValueError(f"{names}: no two images were taken at the same time")
        if alone := sum(lengths) - 2 * count:
            note = f"{count} pairs of {lengths[0]} left and {lengths[1]} right images"
            remarks += (f"{note}; {alone} without a partner are skipped",)
        self.begun = max(int(self._topics[0].stamps[pairs.left[0]]), 0)
        return pairs, remarks

    def _by_recording(self) -> PairedFrames:
        """Pair the images of both topics by the time at which they were recorded."""
        times = [topic.recorded for topic in self._topics]
        orders = [np.argsort(each, kind="stable") for each in times]
        ordered = [each[order] for each, order in zip(times, orders, strict=True)]
        pairs = pair_frames(*_since_first(ordered))
        none = np.zeros(0, np.int64)
        if pairs.aligned:
            return PairedFrames(none, none, aligned=True)
        return PairedFrames(orders[0][pairs.left], orders[1][pairs.right], aligned=True)

    def close(self) -> None:
        """Stop decoding, and close the robot recording."""
        super().close()
        self._bag.close()


def _since_first(stamps: Sequence[Positions]) -> list[FrameIndex]:
    """Create indices of images with times relative to the first image, so that floats suffice."""
    first = min(int(each[0]) for each in stamps)
    return [FrameIndex(each - first, (0,), Fraction(1, SECOND)) for each in stamps]


def recorded_calibration(
    bag: Bag, images: Sequence[BagTopic], size: tuple[int, int]
) -> FoundCalibration | None:
    """Read the calibration of two image topics from the recording.

    Args:
        size: of the images, width and height.

    Returns:
        The calibration for images of this size; None if the recording has none.

    Raises:
        ValueError: it cannot be used.
    """
    left, right = (calibration_topic(bag.topics, image) for image in images)
    if left is None or right is None:
        return None
    if left is right:
        raise ValueError(f"{label(left.name)} alone belongs to both image topics")
    cameras = of_regions([_camera(bag, topic) for topic in (left, right)], size)
    sizes = {(int(camera["width"]), int(camera["height"])) for camera in cameras}
    if len(sizes) > 1:
        raise ValueError(f"the cameras' sizes differ ({sizes.pop()} and {sizes.pop()})")
    form = "camera_info"
    if all(map(is_rectified, images)) or not any(cameras[0]["P"]):
        rectified, remark = _rectified(bag, images, cameras)
    else:
        content = camera_infos(cameras, size)
        assert isinstance(content.cameras, Rig)  # messages have K
        if content.cameras.translation[0] > 0:
            raise ValueError(EXCHANGED)
        rig = checked_rig(content.cameras)
        files = (bag.path,)
        return FoundCalibration(rig, form, files, rig.size, content.remarks).fitted(size)
    if rectified is None:
        raise ValueError(remark)
    remarks = (remark,) if remark else ()
    return FoundCalibration(rectified, form, (bag.path,), sizes.pop(), remarks).fitted(size)


def _camera(bag: Bag, topic: BagTopic) -> Mapping[str, Any]:
    content = bag.read(topic, 0)
    with damage(Path(f"{bag.path}: {topic.name}")):
        return camera_of(topic, content)


def _rectified(
    bag: Bag, images: Sequence[BagTopic], cameras: Sequence[Mapping[str, Any]]
) -> tuple[Calibration | None, str]:
    """Return the calibration of rectified images, from P, or from K and a recorded baseline.

    Returns:
        The calibration, or None and the reason why there is none.
    """
    projections = [np.array(camera["P"], np.float64) for camera in cameras]
    if all(each.size == 12 and each[0] > 0 for each in projections):
        left, right = (each.reshape(3, 4) for each in projections)
        baseline = float(left[0, 3] / left[0, 0] - right[0, 3] / right[0, 0])
    else:
        left, right = (_matrix(camera) for camera in cameras)
        baseline = _recorded_baseline(bag, images)
        if any(any(camera["D"]) for camera in cameras):
            return None, "it has no projection matrix P for images with distortion"
    if baseline < 0:
        raise ValueError(EXCHANGED)
    if not baseline:
        return None, SPECIAL
    principal = float(left[0, 2]), float(left[1, 2])
    offset = float(right[0, 2] - left[0, 2])
    return Calibration(float(left[0, 0]), baseline, principal, offset), ""


def _matrix(camera: Mapping[str, Any]) -> Any:
    matrix = np.array(camera["K"], np.float64)
    if matrix.size != 9 or not matrix[0] > 0 or not np.isfinite(matrix).all():
        raise ValueError("K has no focal length: the cameras are not calibrated")
    return matrix.reshape(3, 3)


def _recorded_baseline(bag: Bag, images: Sequence[BagTopic]) -> float:
    """Return the distance between two cameras from transforms by RealSense; 0 if absent."""
    places = []
    for image in images:
        transforms = image.name.rsplit("/", 2)[0] + "/tf/0"
        topic = next(
            (
                t
                for t in bag.topics
                if t.name == transforms and t.type == TRANSFORM and len(t.places)
            ),
            None,
        )
        if topic is None:
            return 0.0
        content = bag.read(topic, 0)
        with damage(bag.path):
            places.append(np.array(translation_of(topic, content)))
    return float(np.linalg.norm(places[1] - places[0]))
