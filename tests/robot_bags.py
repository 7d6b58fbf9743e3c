"""Small robot recordings of every kind, written by the libraries that others write them with."""

import base64
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH, SHIFT = 48, 96, 7
FOCAL, BASELINE = 100.0, 0.12
PERIOD = 100_000_000  # nanoseconds
BEGUN = 1_700_000_000 * 10**9
KINDS = ("ros1", "sqlite3", "mcap")
Pixels = NDArray[np.uint8]
TOPICS = ("/stereo/left/image_raw", "/stereo/right/image_raw")


@cache
def textured_pair(index: int = 0, shift: int = SHIFT) -> tuple[Pixels, Pixels]:
    """Return a left and a right grey view whose disparity is ``shift`` everywhere."""
    wide = np.random.default_rng(index).integers(0, 256, (HEIGHT, WIDTH + shift), np.uint8)
    return np.ascontiguousarray(wide[:, :WIDTH]), np.ascontiguousarray(wide[:, shift:])


@dataclass(frozen=True)
class BagMessage:
    """A message to write: an image, or the calibration of a camera."""

    topic: str
    kind: str
    stamp: int
    fields: Mapping[str, Any] = field(default_factory=dict)


def image(topic: str, stamp: int, pixels: NDArray[Any], encoding: str = "mono8") -> BagMessage:
    height, width = pixels.shape[:2]
    content = np.frombuffer(pixels.tobytes(), np.uint8)
    step = len(content) // height
    fields = {"height": height, "width": width, "encoding": encoding, "step": step}
    return BagMessage(topic, "Image", stamp, {**fields, "data": content, "is_bigendian": 0})


def packed(topic: str, stamp: int, content: bytes, form: str) -> BagMessage:
    data = np.frombuffer(content, np.uint8)
    return BagMessage(topic, "CompressedImage", stamp, {"format": form, "data": data})


def camera(topic: str, side: int, focal: float = FOCAL, *, rect: bool = False) -> BagMessage:
    """Return the camera_info of the left (0) or right (1) camera of a rectified pair."""
    k = np.array([focal, 0, WIDTH / 2, 0, focal, HEIGHT / 2, 0, 0, 1])
    p = np.insert(k, (3, 6, 9), (-focal * BASELINE * side, 0, 0))
    distortion = np.array([0.3, 0, 0, 0, 0]) if rect else np.zeros(5)
    fields = {"height": HEIGHT, "width": WIDTH, "distortion_model": "plumb_bob"}
    return BagMessage(
        topic,
        "CameraInfo",
        BEGUN,
        {**fields, "D": distortion, "K": k, "R": np.eye(3).ravel(), "P": p},
    )


def stereo(
    count: int = 4,
    topics: Sequence[str] = TOPICS,
    *,
    dropped: Sequence[int] = (),
    skew: int = 2_000_000,
    calibrated: bool = True,
) -> list[BagMessage]:
    """Return the messages of pairs; ``dropped`` right images are missing."""
    listed = []
    if calibrated:
        infos = [f"{topic.rsplit('/', 1)[0]}/camera_info" for topic in topics]
        listed = [camera(info, side) for side, info in enumerate(infos)]
    for index in range(count):
        views, stamp = textured_pair(index), BEGUN + index * PERIOD
        listed.append(image(topics[0], stamp, views[0]))
        if index not in dropped:
            listed.append(image(topics[1], stamp + skew, views[1]))
    return listed


def write_bag(path: Path, messages: Sequence[BagMessage], kind: str = "mcap") -> Path:
    """Write a recording; a ROS 2 bag is a folder."""
    return _ros1(path, messages) if kind == "ros1" else _ros2(path, messages, kind)


def _ros1(path: Path, messages: Sequence[BagMessage]) -> Path:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    unopened = Writer(path)
    unopened.set_compression(Writer.CompressionFormat.LZ4)
    with unopened as writer:
        connections: dict[str, Any] = {}
        for number, each in enumerate(messages):
            kind = _type(each)
            if each.topic not in connections:
                connection = writer.add_connection(each.topic, kind, typestore=store)
                connections[each.topic] = connection
            content = store.serialize_ros1(_message(store, each, number, ros_1=True), kind)
            writer.write(connections[each.topic], each.stamp + 50, bytes(content))
    return path


def _ros2(path: Path, messages: Sequence[BagMessage], kind: str) -> Path:
    from rosbags.rosbag2 import StoragePlugin, Writer

    store = _humble()
    plugin = StoragePlugin.SQLITE3 if kind == "sqlite3" else StoragePlugin.MCAP
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        connections: dict[str, Any] = {}
        for number, each in enumerate(messages):
            name = _type(each)
            if each.topic not in connections:
                connection = writer.add_connection(each.topic, name, typestore=store)
                connections[each.topic] = connection
            content = store.serialize_cdr(_message(store, each, number, ros_1=False), name)
            writer.write(connections[each.topic], each.stamp + 50, bytes(content))
    return path


def _humble() -> Any:
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


def _type(message: BagMessage) -> str:
    package = "geometry_msgs" if message.kind == "Transform" else "sensor_msgs"
    return f"{package}/msg/{message.kind}"


def _message(store: Any, each: BagMessage, number: int, *, ros_1: bool) -> Any:
    types = store.types
    if each.kind == "Transform":
        move = types["geometry_msgs/msg/Vector3"](*each.fields["translation"])
        return types[_type(each)](move, types["geometry_msgs/msg/Quaternion"](0, 0, 0, 1))
    stamp = types["builtin_interfaces/msg/Time"](*divmod(each.stamp, 10**9))
    header = types["std_msgs/msg/Header"]
    head = header(number, stamp, "camera") if ros_1 else header(stamp, "camera")
    fields = dict(each.fields)
    if each.kind == "CameraInfo":
        region = fields.pop("roi", (0, 0, 0, 0))
        window = types["sensor_msgs/msg/RegionOfInterest"](*region, False)
        fields |= {"binning_x": 0, "binning_y": 0, "roi": window}
        if not ros_1:
            fields = {name.lower(): value for name, value in fields.items()}
    return types[_type(each)](header=head, **fields)


def write_foxglove(path: Path, messages: Sequence[BagMessage], encoding: str) -> Path:
    """Write an MCAP file of Foxglove's messages in JSON or Protocol Buffers."""
    from mcap.writer import CompressionType, Writer

    names = {
        "Image": "foxglove.RawImage",
        "CompressedImage": "foxglove.CompressedImage",
        "CameraInfo": "foxglove.CameraCalibration",
    }
    schema_of = {"json": "jsonschema", "protobuf": "protobuf"}[encoding]
    content_of = {"json": _json, "protobuf": _protobuf}[encoding]
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.LZ4)
        writer.start()
        channels: dict[str, int] = {}
        for each in messages:
            if each.topic not in channels:
                schema = writer.register_schema(names[each.kind], schema_of, b"{}")
                channels[each.topic] = writer.register_channel(each.topic, encoding, schema)
            writer.add_message(channels[each.topic], each.stamp, content_of(each), each.stamp)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


def _json(each: BagMessage) -> bytes:
    fields: dict[str, Any] = {}
    for name, value in each.fields.items():
        is_array = isinstance(value, np.ndarray)
        fields[name] = value.tolist() if is_array else value
        if name == "data":
            fields[name] = base64.b64encode(value.tobytes()).decode()
    seconds, rest = divmod(each.stamp, 10**9)
    return json.dumps({"timestamp": {"sec": seconds, "nsec": rest}, **fields}).encode()


def _protobuf(each: BagMessage) -> bytes:
    seconds, rest = divmod(each.stamp, 10**9)
    stamp = _field(1, 0) + _varint(seconds) + _field(2, 0) + _varint(rest)
    numbers = {
        "Image": {"width": 2, "height": 3, "encoding": 4, "step": 5, "data": 6},
        "CompressedImage": {"data": 2, "format": 3},
        "CameraInfo": {"width": 2, "height": 3, "distortion_model": 4, **NUMBERS},
    }[each.kind]
    content = _bytes(1, stamp)
    for name, value in each.fields.items():
        if name not in numbers:
            continue
        number = numbers[name]
        if isinstance(value, int):
            content += _field(number, 5) + struct.pack("<I", value)
        else:
            content += _bytes(number, value.encode() if isinstance(value, str) else value.tobytes())
    return content


NUMBERS = {"D": 5, "K": 6, "R": 7, "P": 8}


def _field(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _bytes(number: int, value: bytes) -> bytes:
    return _field(number, 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


Writer = Callable[[Path], Path]
"""Writes a recording of four pairs to a path without a suffix, and returns what to open."""


def every_kind() -> dict[str, Writer]:
    """Return a writer of each kind of recording, by a name for tests."""
    return {
        "ROS 1": lambda path: write_bag(path.with_suffix(".bag"), stereo(), "ros1"),
        "ROS 2 SQLite": lambda path: write_bag(path, stereo(), "sqlite3"),
        "ROS 2 MCAP": lambda path: write_bag(path, stereo(), "mcap"),
        "MCAP file": lambda path: next(write_bag(path, stereo(), "mcap").glob("*.mcap")),
        "SQLite file": lambda path: next(write_bag(path, stereo(), "sqlite3").glob("*.db3")),
        "Foxglove JSON": lambda path: write_foxglove(path.with_suffix(".mcap"), stereo(), "json"),
        "Foxglove Protocol Buffers": lambda path: write_foxglove(
            path.with_suffix(".mcap"), stereo(), "protobuf"
        ),
    }
