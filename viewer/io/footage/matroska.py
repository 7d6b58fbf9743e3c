"""Writing of Matroska files with one video track, which can be read while they are written.

FFmpeg's own writer keeps a cluster in memory until the next one begins. Here each picture is a
cluster that is written immediately, so that a program that is killed loses no picture.
"""

import struct
from dataclasses import dataclass

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.footage.media import SteadyFile

UNKNOWN_SIZE = (1 << 56 | (1 << 56) - 1).to_bytes(8)
"""The size of a segment that is still being written."""
SEEK_ROOM, DURATION_ROOM = 64, 19
"""Bytes reserved for values that are known at the end: the place of the cues, and the duration."""
WRITER = f"wheatstone {VERSION}"


@dataclass(frozen=True)
class VideoTrack:
    """The description of a Matroska file's video track.

    Attributes:
        codec: Matroska's name of the codec, such as ``V_FFV1``.
        setup: data for initialising a decoder: FFmpeg's extradata of the encoder.
        rate: expected pictures per second; 0: not known.
        tags: further metadata, name and text.
    """

    codec: str
    setup: bytes
    height: int
    width: int
    rate: float = 0.0
    tags: tuple[tuple[str, str], ...] = ()


class MatroskaFile:
    """A Matroska file to which encoded pictures are added; each can be decoded alone.

    Args:
        file: empty; the caller closes it.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, file: SteadyFile, track: VideoTrack) -> None:
        self._file, self._cues = file, list[tuple[int, int]]()
        head = _element("1A45DFA3", _ebml()) + bytes.fromhex("18538067")
        self._segment = len(head) + len(UNKNOWN_SIZE)  # where its content begins
        info = _element("2AD7B1", _number(1_000_000)) + _text("4D80", WRITER)
        info += _text("5741", WRITER) + _void(DURATION_ROOM)
        begun = head + UNKNOWN_SIZE + _void(SEEK_ROOM) + _element("1549A966", info)
        self._duration = len(begun) - DURATION_ROOM
        self._end = 0
        self._append(begun + _tags(track) + _element("1654AE6B", _element("AE", _entry(track))))

    def add(self, picture: bytes, milliseconds: int) -> None:
        """Write a picture with its time; raise ``OSError`` if it cannot be written."""
        self._cues.append((milliseconds, self._end - self._segment))
        block = _element("A3", b"\x81\x00\x00\x80" + picture)  # track 1, no time of its own, key
        self._append(_element("1F43B675", _element("E7", _number(milliseconds)) + block))

    def close(self) -> None:
        """Write cues for seeking, and the duration; raise ``OSError`` if that is impossible."""
        cues = self._end - self._segment
        self._append(_element("1C53BB6B", b"".join(_cue(*cue) for cue in self._cues)))
        seek = _element("53AB", bytes.fromhex("1C53BB6B")) + _element("53AC", _number(cues))
        seek_head = _element("114D9B74", _element("4DBB", seek))
        self._put(self._segment, seek_head + _void(SEEK_ROOM - len(seek_head)))
        last = self._cues[-1][0] if self._cues else 0
        self._put(self._duration, _element("4489", struct.pack(">d", last)))
        size = 1 << 56 | self._end - self._segment
        self._put(self._segment - len(UNKNOWN_SIZE), size.to_bytes(8))

    def _append(self, encoded: bytes) -> None:
        """Write Matroska elements at the end of the file; if that fails, restore the file."""
        self._file.write(encoded)
        try:
            self._file.check()
        except OSError:
            self._file.truncate(self._end)
            self._file.size = self._end
            raise
        self._end += len(encoded)

    def _put(self, place: int, encoded: bytes) -> None:
        self._file.seek(place)
        self._file.write(encoded)
        self._file.check()


def _ebml() -> bytes:
    """Encode the EBML header, with the versions that a reader must support."""
    numbers = {"4286": 1, "42F7": 1, "42F2": 4, "42F3": 8}
    head = b"".join(_element(name, _number(value)) for name, value in numbers.items())
    head += _text("4282", "matroska")
    return head + _element("4287", _number(4)) + _element("4285", _number(2))


def _tags(track: VideoTrack) -> bytes:
    words = (
        _element("67C8", _text("45A3", name) + _text("4487", value)) for name, value in track.tags
    )
    tag = _element("63C0", b"") + b"".join(words)
    return _element("1254C367", _element("7373", tag)) if track.tags else b""


def _entry(track: VideoTrack) -> bytes:
    """Encode the track's entry: number, unique identifier, video, no lacing, codec and size."""
    numbers = {"D7": 1, "73C5": 1, "83": 1, "9C": 0}
    entry = b"".join(_element(name, _number(value)) for name, value in numbers.items())
    entry += _text("86", track.codec) + _element("63A2", track.setup)
    if track.rate:
        entry += _element("23E383", _number(round(1e9 / track.rate)))
    size = _element("B0", _number(track.width)) + _element("BA", _number(track.height))
    return entry + _element("E0", size)


def _cue(milliseconds: int, place: int) -> bytes:
    """Encode a cue, which maps a time to the position of the cluster that contains it."""
    where = _element("F7", _number(1)) + _element("F1", _number(place))
    return _element("BB", _element("B3", _number(milliseconds)) + _element("B7", where))


def _element(name: str, content: bytes) -> bytes:
    """Encode a Matroska element: identifier (given in hexadecimal), size of content, content."""
    return bytes.fromhex(name) + (1 << 56 | len(content)).to_bytes(8) + content


def _number(value: int) -> bytes:
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8))


def _text(name: str, value: str) -> bytes:
    return _element(name, value.encode())


def _void(room: int) -> bytes:
    """Encode an empty element that reserves space for one written later."""
    return _element("EC", bytes(room - 9))
