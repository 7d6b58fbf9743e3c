"""Writing of results as ROS 2 messages in an MCAP file, which Foxglove, rerun and ROS 2 open."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.files.cloud import cloud_of
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.footage.bags.messages import SECOND, ros_types
from wheatstone.viewer.io.footage.bags.opening import check_bags

if TYPE_CHECKING:
    from mcap.writer import Writer

SUFFIX = ".mcap"
FRAME = "left_optical"
"""The name of the left camera's coordinates in messages: X right, Y down, Z ahead."""
DISPARITY, POINTS = "stereo_msgs/msg/DisparityImage", "sensor_msgs/msg/PointCloud2"
FLOAT_32 = 7  # of sensor_msgs/PointField
STEP = 1 / 16  # pixels: the smallest difference of disparities that is claimed


@dataclass(frozen=True, eq=False)
class BagResult:
    """A frame's disparity with its left view, calibration and time, to write to a robot recording.

    Attributes:
        source: the part of topic names that tells sources apart.
        stamp: nanoseconds.
        disparity: (H, W) in pixels, NaN where invalid.
        left: the rectified left view.
        calibration: None: not known; then there are no points.
        searched: the first and the last disparity that was searched.
    """

    source: str
    stamp: int
    disparity: NDArray[np.float32]
    left: NDArray[np.uint8]
    calibration: Calibration | None
    searched: tuple[int, int]

    @property
    def metric(self) -> Calibration | None:
        """Return the calibration if its unit of length is known, else None."""
        known = self.calibration
        return known if known and known.unit != RELATIVE else None


class BagOutput:
    """An open MCAP file, to which results are written as messages."""

    def __init__(self, writer: "Writer") -> None:
        self._writer, self._store = writer, ros_types(ros_1=False)
        self._schemas = {
            kind: writer.register_schema(
                kind, "ros2msg", self._store.generate_msgdef(kind, ros_version=2)[0].encode()
            )
            for kind in (DISPARITY, POINTS)
        }
        self._channels: dict[str, int] = {}

    def add(self, result: BagResult) -> None:
        """Write the disparities of a frame, and its points if lengths are known."""
        self._write(f"/{result.source}/disparity", DISPARITY, result.stamp, self._image(result))
        if result.metric:
            self._write(f"/{result.source}/points", POINTS, result.stamp, self._points(result))

    def _write(self, topic: str, kind: str, stamp: int, message: Any) -> None:
        if topic not in self._channels:
            schema = self._schemas[kind]
            self._channels[topic] = self._writer.register_channel(topic, "cdr", schema)
        content = bytes(self._store.serialize_cdr(message, kind))
        self._writer.add_message(self._channels[topic], stamp, content, stamp)

    def _header(self, stamp: int) -> Any:
        time = self._store.types["builtin_interfaces/msg/Time"]
        return self._store.types["std_msgs/msg/Header"](time(*divmod(stamp, SECOND)), FRAME)

    def _image(self, result: BagResult) -> Any:
        """Make a DisparityImage; pixels without a result are below its smallest disparity."""
        types, known = self._store.types, result.metric
        height, width = result.disparity.shape
        offset = known.offset if known else 0.0
        low, high = (float(end + offset) for end in result.searched)
        values = np.where(np.isnan(result.disparity), low - 1 - offset, result.disparity) + offset
        header = self._header(result.stamp)
        pixels = np.frombuffer(values.astype("<f4").tobytes(), np.uint8)
        image = types["sensor_msgs/msg/Image"](header, height, width, "32FC1", 0, width * 4, pixels)
        window = types["sensor_msgs/msg/RegionOfInterest"](0, 0, height, width, False)
        lengths = (known.focal, known.baseline) if known else (0.0, 0.0)
        return types[DISPARITY](header, image, *lengths, window, low, high, STEP)

    def _points(self, result: BagResult) -> Any:
        """Make a PointCloud2 with colours; the calibration must be metric."""
        assert result.metric
        types = self._store.types
        cloud = cloud_of(result.disparity, result.metric, result.left, "camera")
        count = len(cloud.places)
        rows = np.zeros((count, 4), "<f4")
        rows[:, :3] = cloud.places
        red, green, blue = cloud.colors.astype(np.uint32).T
        rows[:, 3] = (red << 16 | green << 8 | blue).astype("<u4").view("<f4")
        field = types["sensor_msgs/msg/PointField"]
        fields = [
            field(name, 4 * at, FLOAT_32, 1) for at, name in enumerate(("x", "y", "z", "rgb"))
        ]
        content = np.frombuffer(rows.tobytes(), np.uint8)
        step = rows.itemsize * 4
        header = self._header(result.stamp)
        return types[POINTS](header, 1, count, fields, False, step, step * count, content, True)


@contextmanager
def bag_output(path: Path) -> Iterator[BagOutput]:
    """Open an MCAP file for results; it is written completely or not at all.

    Raises:
        OSError: it cannot be written.
        Unavailable: a package is not installed.
    """
    check_bags()
    from mcap.writer import Writer

    with whole_file(path) as temporary, temporary.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library=f"wheatstone {VERSION}")
        yield BagOutput(writer)
        writer.finish()  # type: ignore[no-untyped-call]
