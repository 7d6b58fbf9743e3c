"""Messages of robot recordings: images, calibrations of cameras, and their time stamps.

ROS messages are read by their standard definitions, those of Foxglove in Protocol Buffers or JSON.
"""

import base64
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from wheatstone.gpu.protobuf import message_fields
from wheatstone.viewer.io.footage.bags.bag import BagTopic

if TYPE_CHECKING:
    from rosbags.typesys.store import Typestore

FieldValue = int | bytes


def protobuf_fields(content: bytes) -> Iterator[tuple[int, FieldValue]]:
    """Yield the number and value of each protobuf field; raise ``ValueError`` for damaged ones."""
    for number, _, value in message_fields(content):
        yield number, content[value] if isinstance(value, slice) else value


def doubles(value: FieldValue) -> list[float]:
    """Decode a protobuf field of one or several 64-bit floats."""
    if isinstance(value, int) or len(value) % 8:
        raise ValueError("a sequence of numbers is damaged")
    return list(struct.unpack(f"<{len(value) // 8}d", value))


def fixed(value: FieldValue) -> int:
    """Decode a protobuf field with an unsigned 32-bit integer."""
    if isinstance(value, bytes):
        number: int = struct.unpack("<I", value)[0]
        return number
    return value


RAW = ("sensor_msgs/Image", "foxglove.RawImage")
PACKED = ("sensor_msgs/CompressedImage", "foxglove.CompressedImage")
IMAGES = (*RAW, *PACKED)
CALIBRATIONS = ("sensor_msgs/CameraInfo", "foxglove.CameraCalibration")
TRANSFORM = "geometry_msgs/Transform"
ROS_ENCODINGS = ("cdr", "ros1")
ENCODINGS = (*ROS_ENCODINGS, "protobuf", "json")
"""The encodings of messages that are read."""
STAMP_BYTES = 16  # that begin a ROS message and hold the stamp of its header
SECOND = 10**9  # nanoseconds


@dataclass(frozen=True, eq=False)
class RecordedImage:
    """An image message of a robot recording, whose pixels are not decoded yet.

    Attributes:
        encoding: of raw pixels, such as ``bayer_rggb8``, or the format of a compressed picture.
        packed: whether ``content`` is a picture file, such as a JPEG.
        step: bytes of a row.
        big_endian: whether numbers of 16 bits begin with the most significant byte.
    """

    width: int
    height: int
    encoding: str
    packed: bool
    step: int
    big_endian: bool
    content: bytes


def stamp_bytes(topic: BagTopic) -> int | None:
    """Return how many bytes of a message to read for its time stamp; None: the whole message."""
    return STAMP_BYTES if topic.encoding in ROS_ENCODINGS else None


def stamp_of(topic: BagTopic, content: bytes) -> int:
    """Return the time stamp of an image in nanoseconds; 0 if it was not set.

    Raises:
        ValueError: the message is damaged.
    """
    try:
        if topic.encoding == "cdr":
            order = "<" if content[1] & 1 else ">"
            seconds, rest = struct.unpack_from(f"{order}iI", content, 4)
        elif topic.encoding == "ros1":
            seconds, rest = struct.unpack_from("<II", content, 4)
        else:
            seconds, rest = _foxglove_stamp(_foxglove(topic, content).get("timestamp"))
    except (struct.error, IndexError):
        raise ValueError(f"a message of {topic.name} ends early") from None
    return int(seconds) * SECOND + int(rest)


def image_of(topic: BagTopic, content: bytes) -> RecordedImage:
    """Decode an image message's fields without decoding its pixels.

    Raises:
        ValueError: the message is damaged.
    """
    packed = topic.type in PACKED
    if topic.encoding in ROS_ENCODINGS:
        message = _ros(topic, content)
        pixels = message.data.tobytes()
        if packed:
            return RecordedImage(0, 0, message.format, True, 0, False, pixels)
        size = message.width, message.height, message.encoding, False, message.step
        return RecordedImage(*size, bool(message.is_bigendian), pixels)
    named = _foxglove(topic, content)
    if packed:
        return RecordedImage(0, 0, str(named["format"]), True, 0, False, _bytes(named["data"]))
    width, height, step = (_count(named[name]) for name in ("width", "height", "step"))
    encoding, pixels = str(named["encoding"]), _bytes(named["data"])
    return RecordedImage(width, height, encoding, False, step, False, pixels)


def camera_of(topic: BagTopic, content: bytes) -> Mapping[str, Any]:
    """Decode the calibration of a camera: K, D, R, P, size, region (``roi``) and distortion model.

    Raises:
        ValueError: the message is damaged.
    """
    if topic.encoding in ROS_ENCODINGS:
        message = vars(_ros(topic, content))
        named = {name: message.get(name, message.get(name.lower())) for name in "KDRP"}
        named |= {name: message[name] for name in ("width", "height", "distortion_model")}
        region = vars(message["roi"]).items()
        named["roi"] = {name: float(value) for name, value in region if isinstance(value, int)}
    else:
        named = dict(_foxglove(topic, content))
    lists = {name: [float(value) for value in named.get(name, ())] for name in "KDRP"}
    sides = {name: float(_count(named[name])) for name in ("width", "height")}
    values = {**lists, **sides, "distortion_model": str(named.get("distortion_model", ""))}
    return values | ({"roi": named["roi"]} if "roi" in named else {})


def translation_of(topic: BagTopic, content: bytes) -> tuple[float, float, float]:
    """Decode the translation of a ``geometry_msgs/Transform``; raise ``ValueError`` if damaged."""
    move = _ros(topic, content).translation
    return float(move.x), float(move.y), float(move.z)


@cache
def ros_types(ros_1: bool) -> "Typestore":
    """Return the standard definitions of messages of ROS 1 or ROS 2."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS1_NOETIC if ros_1 else Stores.ROS2_HUMBLE)


def _ros(topic: BagTopic, content: bytes) -> Any:
    package, name = topic.type.split("/")
    store = ros_types(topic.encoding == "ros1")
    read = store.deserialize_ros1 if topic.encoding == "ros1" else store.deserialize_cdr
    return read(content, f"{package}/msg/{name}")


def _foxglove(topic: BagTopic, content: bytes) -> dict[str, Any]:
    """Decode a Foxglove message to its fields by name."""
    if topic.encoding == "json":
        values = json.loads(content)
        if not isinstance(values, dict):
            raise ValueError(f"a message of {topic.name} is no JSON object")
        return {**{"format": "", "encoding": "", "step": 0}, **values}
    named: dict[str, Any] = {name: default for name, default in DEFAULTS[topic.type].items()}
    known = FIELDS[topic.type]
    for number, value in protobuf_fields(content):
        name = known.get(number, "")
        if name in ("D", "K", "R", "P"):
            named[name] = [*named.get(name, ()), *doubles(value)]
        elif name in ("encoding", "format", "distortion_model"):
            named[name] = _bytes(value).decode("utf-8", "replace")
        elif name:
            named[name] = value if name in ("data", "timestamp") else fixed(value)
    return named


FIELDS: Mapping[str, Mapping[int, str]] = {
    "foxglove.RawImage": {
        **{1: "timestamp", 2: "width", 3: "height", 4: "encoding", 5: "step", 6: "data"}
    },
    "foxglove.CompressedImage": {1: "timestamp", 2: "data", 3: "format"},
    "foxglove.CameraCalibration": {
        **{1: "timestamp", 2: "width", 3: "height", 4: "distortion_model"},
        **{5: "D", 6: "K", 7: "R", 8: "P"},
    },
}
"""The numbers of the fields in Foxglove's definitions."""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "foxglove.RawImage": {"width": 0, "height": 0, "encoding": "", "step": 0, "data": b""},
    "foxglove.CompressedImage": {"data": b"", "format": ""},
    "foxglove.CameraCalibration": {"width": 0, "height": 0},
}
"""The values of fields that a message omits."""


def _foxglove_stamp(stamp: Any) -> tuple[int, int]:
    """Decode a time in JSON or Protocol Buffers to seconds and nanoseconds."""
    if isinstance(stamp, dict):
        rest = stamp.get("nsec", stamp.get("nanosec", stamp.get("nanos", 0)))
        return _count(stamp.get("sec", stamp.get("seconds", 0))), _count(rest)
    if isinstance(stamp, bytes):
        parts = dict(protobuf_fields(stamp))
        return _count(parts.get(1, 0)), _count(parts.get(2, 0))
    return 0, 0


def _count(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**62:
        raise ValueError(f"a number is expected (got {str(value)[:20]})")
    return value


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return base64.b64decode(value, validate=True)
    if not isinstance(value, bytes):
        raise ValueError("bytes are expected")
    return value
