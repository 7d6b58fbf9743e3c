"""Opening of robot recordings: ``.bag``, ``.mcap`` and ``.db3`` files, folders of ROS 2 bags."""

import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.footage.bags.bag import (
    LARGEST_MESSAGE,
    Bag,
    BagTopic,
    Numbers,
    damage,
    joined,
    plain_type,
)
from wheatstone.viewer.io.footage.bags.chunked import MCAP, ROS_1, McapBag, Ros1Bag
from wheatstone.viewer.io.footage.media import is_video
from wheatstone.viewer.io.reading.regular_files import open_regular

STEPS, MOST_ROUNDS = 1_000_000, 500
"""Instructions of SQLite after which it asks, and how often it may do so in a query."""
TABLES = {("topics", "table"), ("messages", "table")}
NO_BAG = "a SQLite file without topics and messages; give a bag of ROS 2"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
"""The beginning of what Zstandard packed."""


class SqliteBag(Bag):
    """A ROS 2 bag in a single ``.db3`` file, which is an SQLite database."""

    def __init__(self, path: Path) -> None:
        """Open the recording's file and list its messages.

        Raises:
            OSError, ValueError: the file cannot be read, is damaged, or no bag.
        """
        self.path, self.files = path, (path,)
        self.remarks: tuple[str, ...] = ()
        self._lock, self._rounds = threading.RLock(), 0
        with open_regular(path):  # a file, and an input from now on
            address = f"file:{quote(str(path))}?mode=ro&immutable=1"
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            with damage(path):
                self._limit()
                self.topics = self._listed()
        except BaseException:
            self._database.close()
            raise

    def _limit(self) -> None:
        """Limit memory and time of database queries; raise ``ValueError`` if the file is no bag."""
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_MESSAGE)
        self._database.set_progress_handler(self._ask, STEPS)
        self._database.execute("PRAGMA trusted_schema=OFF")
        query = "SELECT name, type FROM sqlite_master WHERE name IN ('topics', 'messages')"
        if set(self._rows(query)) != TABLES:
            raise ValueError(f"{self.path}: {NO_BAG}")

    def _ask(self) -> int:
        self._rounds += 1
        return self._rounds > MOST_ROUNDS

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        self._rounds = 0
        return self._database.execute(query, values).fetchall()

    def _listed(self) -> list[BagTopic]:
        rows = self._rows("SELECT topic_id, id, timestamp FROM messages")
        listed = np.array(rows, np.int64).reshape(-1, 3)
        topics = []
        for number, *words in self._rows("SELECT id, name, type, serialization_format FROM topics"):
            name, kind, encoding = map(str, words)
            own = listed[listed[:, 0] == number]
            places = joined([(-1, own[:, 2], own[:, 1])])
            topics.append(BagTopic(name, plain_type(kind), encoding, places))
        return sorted(topics, key=lambda topic: topic.name)

    def read(self, topic: BagTopic, number: int, most: int | None = None) -> bytes:
        """Read a message of a topic: all its bytes, or only the first ones."""
        part = "data" if most is None else f"substr(data, 1, {most})"
        with self._lock, damage(self.path):
            row = int(topic.places.offsets[number])
            content = self._rows(f"SELECT {part} FROM messages WHERE id = ?", row)[0][0]
            if not isinstance(content, bytes):
                raise ValueError("a message is no sequence of bytes")
            if content.startswith(ZSTANDARD):
                how = "unpack it with: ros2 bag convert"
                raise ValueError(f"{self.path}: messages packed by Zstandard; {how}")
            return content

    def close(self) -> None:
        """Close the recording's file."""
        with self._lock:
            self._database.close()


SUFFIXES = (".bag", ".mcap", ".db3")
"""Suffixes of files that are opened as robot recordings."""
PACKED = ".zstd"
METADATA = "metadata.yaml"
"""The file in the folder of a ROS 2 bag that marks it as one."""
MOST_FILES = 4096  # of a folder
SQLITE = b"SQLite format 3\0"
KINDS: Mapping[bytes, Callable[[Path], Bag]] = {ROS_1: Ros1Bag, MCAP: McapBag, SQLITE: SqliteBag}
"""The readers of files by their beginnings."""
PACKAGES = ("rosbags.typesys", "mcap.records", "lz4.frame", "zstandard")
UNPACK = "is packed; unpack it with: zstd -d"
OLD = "a ROS bag of another version; only 2.0 is read: convert it with rosbag fix"


def is_bag(path: str | Path) -> bool:
    """Return whether a path is a robot recording: a file by its suffix, or a ROS 2 bag's folder."""
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, METADATA)) and bool(_files(Path(path)))
    return str(path).lower().removesuffix(PACKED).endswith(SUFFIXES)


def is_recording(path: str | Path) -> bool:
    """Return whether a path is that of a video file or of a robot recording."""
    return is_bag(path) or (not os.path.isdir(path) and is_video(str(path)))


def bag_files(path: Path) -> tuple[Path, ...]:
    """List the files of a recording: the path itself, or a ROS 2 bag's in natural order."""
    return tuple(_files(path)) if path.is_dir() else (path,)


def _files(folder: Path) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MOST_FILES)]
        fitting = [name for name in names if name.lower().removesuffix(PACKED).endswith(SUFFIXES)]
        fitting = [name for name in fitting if not name.lower().endswith(".bag")]
        return [folder / name for name in sorted(fitting, key=lambda name: (len(name), name))]
    return []


def check_bags() -> None:
    """Raise ``Unavailable`` if the packages that read robot recordings are not installed."""
    try:
        for package in PACKAGES:
            import_module(package)
    except ImportError as error:
        raise Unavailable(
            f"robot recordings need rosbags and mcap ({error}); "
            f"install them with: {install_command('bags')}"
        ) from error


def open_bag(path: Path) -> Bag:
    """Open a robot recording and index its messages.

    Raises:
        OSError, ValueError: a file cannot be read, is damaged, or of another kind.
        Unavailable: a package is not installed.
    """
    check_bags()
    if not path.is_dir():
        return _open_file(path)
    files = bag_files(path)
    if not files:
        raise ValueError(f"{path}: no file of a ROS 2 bag (.mcap or .db3)")
    return _open_file(files[0]) if len(files) == 1 else SplitBag(path, files)


def _open_file(path: Path) -> Bag:
    if path.name.lower().endswith(PACKED):
        raise ValueError(f"{path}: {UNPACK} {path.name}")
    with open_regular(path, "give a .bag, .mcap or .db3") as file:
        begin = file.read(16)
    kind = next((kind for magic, kind in KINDS.items() if begin.startswith(magic)), None)
    if kind is None and begin.startswith(b"#ROSBAG"):
        raise ValueError(f"{path}: {OLD}")
    if kind is None:
        content = "the file is empty" if not begin else "no ROS bag, MCAP or SQLite file"
        raise ValueError(f"{path}: {content}; record or copy it again")
    return kind(path)


class SplitBag(Bag):
    """A ROS 2 bag that was split into several files, one after the other in time."""

    def __init__(self, path: Path, files: Sequence[Path]) -> None:
        """Open all files of the bag in turn; raise an error if one cannot be read."""
        self.path, self.files = path, tuple(files)
        self._parts: list[Bag] = []
        try:
            for file in files:
                self._parts.append(_open_file(file))
        except BaseException:
            self.close()
            raise
        self.remarks = tuple(remark for part in self._parts for remark in part.remarks)
        self.topics = self._joined()

    def _joined(self) -> list[BagTopic]:
        """Merge the topics of all files; each message is given by its file and its number in it."""
        by_topic: dict[tuple[str, str, str], list[tuple[int, Numbers, Numbers]]] = {}
        for number, part in enumerate(self._parts):
            for topic in part.topics:
                places = number, topic.places.times, np.arange(len(topic.places))
                by_topic.setdefault((topic.name, topic.type, topic.encoding), []).append(places)
        return [BagTopic(*key, joined(parts)) for key, parts in sorted(by_topic.items())]

    def read(self, topic: BagTopic, number: int, most: int | None = None) -> bytes:
        """Read a message of a topic: all its bytes, or only the first ones."""
        part = self._parts[int(topic.places.chunks[number])]
        key = topic.name, topic.type, topic.encoding
        own = next(each for each in part.topics if (each.name, each.type, each.encoding) == key)
        return part.read(own, int(topic.places.offsets[number]), most)

    def close(self) -> None:
        """Close all files of the recording."""
        for part in self._parts:
            part.close()
