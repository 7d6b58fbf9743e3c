"""Reading of files whose messages lie in chunks: ROS 1 bags and MCAP.

An index of all messages is made from the headers of the records, which are a small part of the
file. It needs no index at the end of the file, so that a recording that was cut off can be read.
"""

import bz2
import io
import os
import struct
import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wheatstone.viewer.io.footage.bags.bag import (
    LARGEST_MESSAGE,
    Bag,
    BagTopic,
    Numbers,
    damage,
    joined,
    plain_type,
)
from wheatstone.viewer.io.reading.regular_files import MIB, in_units, open_regular

KEPT_CHUNKS = 3  # unpacked ones
LARGEST_RECORD = 64 * MIB  # other than chunks and messages
PLAIN = ("", "none")
"""Names of no compression."""
CUT_OFF = "cut off: its end is missing, and the frames before it are shown"
Record = tuple[int, int, int]
"""The kind of a record, and the positions of its content's begin and end."""


@dataclass(frozen=True)
class PackedChunk:
    """A chunk of messages in a file: its compression, position and size.

    Attributes:
        begin, end: positions of its bytes in the file.
        size: bytes after unpacking.
    """

    compression: str
    begin: int
    end: int
    size: int


@dataclass(frozen=True)
class Channel:
    """A channel (sender of messages) in a recording; several channels may write to one topic."""

    topic: str
    type: str
    encoding: str


class ChunkedBag(Bag):
    """A robot recording whose messages lie in chunks; the base class for ROS 1 bags and MCAP."""

    def __init__(self, path: Path) -> None:
        """Index the messages of the recording's file.

        Raises:
            OSError, ValueError: the file cannot be read, or is damaged.
        """
        self.path, self.files = path, (path,)
        self.remarks: tuple[str, ...] = ()
        self._stack, self._lock = ExitStack(), threading.RLock()
        self._chunks: list[PackedChunk] = []
        self._unpacked: OrderedDict[int, bytes] = OrderedDict()
        self._channels: dict[int, Channel] = {}
        self._parts: dict[int, list[tuple[int, Numbers, Numbers]]] = {}
        self._single: dict[tuple[int, int], list[tuple[int, int]]] = {}
        try:
            self._file = self._stack.enter_context(open_regular(path))
            self._size = os.fstat(self._file.fileno()).st_size
            with damage(path):
                if not self._scan():
                    self.remarks = (f"{path.name}: {CUT_OFF}",)
                self._complete()
                self.topics = self._joined_topics()
        except BaseException:
            self._stack.close()
            raise

    @abstractmethod
    def _scan(self) -> bool:
        """Index all records of the file; return whether the file is complete."""

    @abstractmethod
    def _scan_chunk(self, number: int, content: bytes, *, messages: bool) -> None:
        """Index the channels in a chunk's content and, if ``messages`` is true, its messages."""

    @abstractmethod
    def _message(self, chunk: int, offset: int) -> tuple[int, int]:
        """Return begin and end of a message's content, as offsets in its chunk or in the file."""

    def _complete(self) -> None:
        """Read the chunks missing in the file's index, and index their messages and channels."""
        listed = {chunk for parts in self._parts.values() for chunk, _, _ in parts}
        unknown = {
            chunk
            for number, parts in self._parts.items()
            if number not in self._channels
            for chunk, _, _ in parts
        }
        for number in range(len(self._chunks)):
            if number not in listed or number in unknown:
                self._scan_chunk(number, self._content(number), messages=number not in listed)

    def _add_message(self, channel: int, chunk: int, time: int, offset: int) -> None:
        self._single.setdefault((channel, chunk), []).append((time, offset))

    def _joined_topics(self) -> list[BagTopic]:
        for (number, chunk), messages in self._single.items():
            times, offsets = np.array(messages, np.int64).T
            self._parts.setdefault(number, []).append((chunk, times, offsets))
        by_topic: dict[Channel, list[tuple[int, Numbers, Numbers]]] = {}
        for number, channel in self._channels.items():
            by_topic.setdefault(channel, []).extend(self._parts.get(number, []))
        topics = [
            BagTopic(channel.topic, plain_type(channel.type), channel.encoding, joined(parts))
            for channel, parts in by_topic.items()
        ]
        return sorted(topics, key=lambda topic: topic.name)

    def read(self, topic: BagTopic, number: int, most: int | None = None) -> bytes:
        """Read a message of a topic: all its bytes, or only the first ones."""
        places = topic.places
        chunk, offset = int(places.chunks[number]), int(places.offsets[number])
        with self._lock, damage(self.path):
            begin, end = self._message(chunk, offset)
            if not 0 <= end - begin <= LARGEST_MESSAGE:
                raise ValueError(f"a message of {in_units(end - begin)}")
            return self._bytes(chunk, begin, end if most is None else min(end, begin + most))

    def _bytes(self, chunk: int, begin: int, end: int) -> bytes:
        """Read bytes from a chunk, given by its number, or from the file if the number is -1."""
        if chunk >= 0 and self._chunks[chunk].compression not in PLAIN:
            content = self._content(chunk)[begin:end]
        else:
            shift = self._chunks[chunk].begin if chunk >= 0 else 0
            if end + shift > self._size:
                raise ValueError("a record ends after the end of the file")
            self._file.seek(begin + shift)
            content = self._file.read(end - begin)
        if len(content) != end - begin:
            raise ValueError("a record ends after the end of its chunk")
        return content

    def _content(self, number: int) -> bytes:
        """Return the unpacked bytes of a chunk, from a cache of the last few."""
        if number not in self._unpacked:
            chunk = self._chunks[number]
            if chunk.size > LARGEST_MESSAGE or chunk.end - chunk.begin > LARGEST_MESSAGE:
                raise ValueError(f"a chunk of {in_units(max(chunk.size, chunk.end - chunk.begin))}")
            self._file.seek(chunk.begin)
            packed = self._file.read(chunk.end - chunk.begin)
            self._unpacked[number] = unpacked(chunk.compression, packed, chunk.size)
            while len(self._unpacked) > KEPT_CHUNKS:
                self._unpacked.popitem(last=False)
        self._unpacked.move_to_end(number)
        return self._unpacked[number]

    def close(self) -> None:
        """Close the recording's file."""
        with self._lock:
            self._unpacked.clear()
            self._stack.close()


def unpacked(compression: str, packed: bytes, size: int) -> bytes:
    """Unpack a chunk; raise ``ValueError`` if it does not have the given size."""
    if compression in PLAIN:
        content = packed
    elif compression == "bz2":
        content = bz2.BZ2Decompressor().decompress(packed, size + 1)
    elif compression == "lz4":
        from lz4.frame import LZ4FrameDecompressor

        content = LZ4FrameDecompressor().decompress(packed, max_length=size + 1)
    elif compression == "zstd":
        from zstandard import ZstdDecompressor

        content = ZstdDecompressor().stream_reader(io.BytesIO(packed)).read(size + 1)
    else:
        raise ValueError(f"compression {compression[:20]!r} is not known; zstd, lz4 and bz2 are")
    if len(content) != size:
        raise ValueError(f"a chunk has {len(content)} bytes, not {size}")
    return content


CHUNK, INDEX, CONNECTION, MESSAGE = 5, 4, 7, 2
ROS_1 = b"#ROSBAG V2.0\n"


class Ros1Bag(ChunkedBag):
    """A ROS 1 bag, version 2.0; its index may be missing if the bag was not closed."""

    def _scan(self) -> bool:
        at = len(ROS_1)
        while at + 8 <= self._size:
            head_end = at + 4 + self._length(-1, at)
            if head_end + 4 > self._size:
                return False
            head = _fields(self._bytes(-1, at + 4, min(head_end, at + LARGEST_RECORD)))
            begin = head_end + 4
            end = begin + self._length(-1, head_end)
            if end > self._size:
                return False
            self._add(head, begin, end)
            at = end
        return at == self._size

    def _length(self, chunk: int, at: int) -> int:
        length: int = struct.unpack("<I", self._bytes(chunk, at, at + 4))[0]
        return length

    def _add(self, head: dict[bytes, bytes], begin: int, end: int) -> None:
        kind = head[b"op"][0]
        if kind == CHUNK:
            size = struct.unpack("<I", head[b"size"])[0]
            compression = head[b"compression"].decode()
            self._chunks.append(PackedChunk(compression, begin, end, size))
        elif kind == INDEX and self._chunks and end - begin <= LARGEST_RECORD:
            rows = np.frombuffer(self._bytes(-1, begin, end), "<u4").reshape(-1, 3).astype(np.int64)
            part = len(self._chunks) - 1, rows[:, 0] * 10**9 + rows[:, 1], rows[:, 2]
            self._parts.setdefault(_number(head[b"conn"]), []).append(part)
        elif kind == CONNECTION and end - begin <= LARGEST_RECORD:
            self._connect(head, self._bytes(-1, begin, end))
        elif kind == MESSAGE:
            raise ValueError("a message without a chunk")

    def _connect(self, head: dict[bytes, bytes], content: bytes) -> None:
        fields = _fields(content)
        topic, kind = (_text(encoded) for encoded in (head[b"topic"], fields[b"type"]))
        self._channels[_number(head[b"conn"])] = Channel(topic, kind, "ros1")

    def _scan_chunk(self, number: int, content: bytes, *, messages: bool) -> None:
        at = 0
        while at + 8 <= len(content):
            head_end = at + 4 + struct.unpack_from("<I", content, at)[0]
            head = _fields(content[at + 4 : head_end])
            end = head_end + 4 + struct.unpack_from("<I", content, head_end)[0]
            if head[b"op"][0] == CONNECTION:
                self._connect(head, content[head_end + 4 : end])
            elif head[b"op"][0] == MESSAGE and messages:
                seconds, rest = struct.unpack("<II", head[b"time"])
                self._add_message(_number(head[b"conn"]), number, seconds * 10**9 + rest, at)
            at = end

    def _message(self, chunk: int, offset: int) -> tuple[int, int]:
        for _ in range(1000):  # connections may lie before it
            head_end = offset + 4 + self._length(chunk, offset)
            head = _fields(self._bytes(chunk, offset + 4, min(head_end, offset + LARGEST_RECORD)))
            begin = head_end + 4
            end = begin + self._length(chunk, head_end)
            if head[b"op"][0] == MESSAGE:
                return begin, end
            offset = end
        raise ValueError("no message where the index says")


def _fields(content: bytes) -> dict[bytes, bytes]:
    """Parse the ``name=value`` fields of a record's header, each preceded by its length."""
    values, at = {}, 0
    while at + 4 <= len(content):
        (length,) = struct.unpack_from("<I", content, at)
        name, equals, value = content[at + 4 : at + 4 + length].partition(b"=")
        if not equals or at + 4 + length > len(content):
            raise ValueError("a header is damaged")
        values[name] = value
        at += 4 + length
    return values


def _number(value: bytes) -> int:
    number: int = struct.unpack("<I", value)[0]
    return number


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


MCAP = b"\x89MCAP0\r\n"
FOOTER, SCHEMA, CHANNEL, MCAP_MESSAGE, MCAP_CHUNK, MCAP_INDEX = 2, 3, 4, 5, 6, 7
MESSAGE_HEAD = 22  # bytes: channel, number and two times


class McapBag(ChunkedBag):
    """An MCAP file of ROS 2, ROS 1 or Foxglove messages."""

    def _scan(self) -> bool:
        self._schemas: dict[int, str] = {}
        at = len(MCAP)
        while at + 9 <= self._size:
            kind, length = struct.unpack("<BQ", self._bytes(-1, at, at + 9))
            begin, end = at + 9, at + 9 + length
            if end > self._size:
                return False
            if kind == FOOTER:
                return True
            if kind == MCAP_CHUNK:
                self._add_chunk(begin, end)
            elif kind == MCAP_MESSAGE:
                channel, time = self._head(self._bytes(-1, begin, begin + MESSAGE_HEAD))
                self._add_message(channel, -1, time, at)
            elif kind in (SCHEMA, CHANNEL, MCAP_INDEX) and length <= LARGEST_RECORD:
                self._add(kind, self._bytes(-1, begin, end))
            at = end
        return False

    def _add_chunk(self, begin: int, end: int) -> None:
        *_, size, _, length = struct.unpack("<QQQII", self._bytes(-1, begin, begin + 32))
        if length > 100:
            raise ValueError("a chunk is damaged")
        at = begin + 32 + length
        compression = _text(self._bytes(-1, begin + 32, at))
        (packed,) = struct.unpack("<Q", self._bytes(-1, at, at + 8))
        if at + 8 + packed > end:
            raise ValueError("a chunk is longer than its record")
        self._chunks.append(PackedChunk(compression, at + 8, at + 8 + packed, size))

    def _add(self, kind: int, content: bytes) -> None:
        from mcap.data_stream import ReadDataStream
        from mcap.records import Channel as McapChannel
        from mcap.records import Schema

        if kind == MCAP_INDEX:
            channel, length = struct.unpack_from("<HI", content)
            rows = np.frombuffer(content[6 : 6 + length], "<u8").reshape(-1, 2).astype(np.int64)
            if self._chunks:
                part = len(self._chunks) - 1, rows[:, 0], rows[:, 1]
                self._parts.setdefault(channel, []).append(part)
            return
        stream = ReadDataStream(io.BytesIO(content))
        if kind == SCHEMA:
            schema = Schema.read(stream)
            self._schemas[schema.id] = schema.name
        else:
            entry = McapChannel.read(stream)
            name = self._schemas.get(entry.schema_id, "")
            self._channels[entry.id] = Channel(entry.topic, name, entry.message_encoding)

    def _scan_chunk(self, number: int, content: bytes, *, messages: bool) -> None:
        for kind, begin, end in self._records(content):
            if kind in (SCHEMA, CHANNEL):
                self._add(kind, content[begin:end])
            elif kind == MCAP_MESSAGE and messages:
                channel, time = self._head(content[begin : begin + MESSAGE_HEAD])
                self._add_message(channel, number, time, begin - 9)

    def _records(self, content: bytes) -> Iterator[Record]:
        at = 0
        while at + 9 <= len(content):
            kind, length = struct.unpack_from("<BQ", content, at)
            yield kind, at + 9, at + 9 + length
            at += 9 + length

    def _head(self, content: bytes) -> tuple[int, int]:
        """Decode the channel number and the recording time of a message from its header."""
        channel, _, time, _ = struct.unpack("<HIQQ", content)
        return channel, min(time, 2**63 - 1)

    def _message(self, chunk: int, offset: int) -> tuple[int, int]:
        kind, length = struct.unpack("<BQ", self._bytes(chunk, offset, offset + 9))
        if kind != MCAP_MESSAGE or length < MESSAGE_HEAD:
            raise ValueError("no message where the index says")
        return offset + 9 + MESSAGE_HEAD, offset + 9 + length
