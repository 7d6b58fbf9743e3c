"""Reading of the SQLite files of ROS 2 bags."""

import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

import numpy as np

from wheatstone.viewer.io.footage.bags.bag import (
    LARGEST_MESSAGE,
    Bag,
    BagTopic,
    MessagePlaces,
    damage,
    plain_type,
)
from wheatstone.viewer.io.reading.regular_files import open_regular

STEPS, MOST_ROUNDS = 1_000_000, 500
"""Instructions of SQLite after which it asks, and how often it may do so in a query."""
TABLES = {("topics", "table"), ("messages", "table")}
NO_BAG = "a SQLite file without topics and messages; give a bag of ROS 2"
PACKED = b"\x28\xb5\x2f\xfd"
"""The beginning of what Zstandard packed."""


class SqliteBag(Bag):
    """A ``.db3`` file of a ROS 2 bag."""

    def __init__(self, path: Path) -> None:
        """Open the file and list its messages.

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
        """Limit the memory and time that a hostile file can cost."""
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
        found = np.array(rows, np.int64).reshape(-1, 3)
        topics = []
        for number, *words in self._rows("SELECT id, name, type, serialization_format FROM topics"):
            name, kind, encoding = map(str, words)
            own = found[found[:, 0] == number]
            places = MessagePlaces(own[:, 2], np.full(len(own), -1, np.int64), own[:, 1]).in_order()
            topics.append(BagTopic(name, plain_type(kind), encoding, places))
        return sorted(topics, key=lambda topic: topic.name)

    def read(self, topic: BagTopic, number: int, most: int | None = None) -> bytes:
        """Read a message, or its first bytes."""
        part = "data" if most is None else f"substr(data, 1, {most})"
        with self._lock, damage(self.path):
            row = int(topic.places.offsets[number])
            found = self._rows(f"SELECT {part} FROM messages WHERE id = ?", row)[0][0]
            if not isinstance(found, bytes):
                raise ValueError("a message is no sequence of bytes")
            if found.startswith(PACKED):
                how = "unpack it with: ros2 bag convert"
                raise ValueError(f"{self.path}: messages packed by Zstandard; {how}")
            return found

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
