"""Hostile robot recordings: real ones of every kind, damaged, and databases that are no bags."""

import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.kinds import FuzzKind, read_recording
from tests.fuzz.mutating import mutated
from tests.robot_bags import every_kind

SUFFIXES = (".bag", ".mcap", ".db3")
QUERIES = (
    "CREATE TABLE topics (id, name, type, serialization_format)",
    "CREATE TABLE messages (id, topic_id, timestamp, data)",
    "CREATE VIEW messages AS SELECT 1 AS id, 1 AS topic_id, 1 AS timestamp, zeroblob(9) AS data",
    "INSERT INTO topics VALUES (1, '/left', 'sensor_msgs/msg/Image', 'cdr')",
    "INSERT INTO topics VALUES (1, NULL, x'00', 5)",
    "INSERT INTO messages VALUES ('a', 1, -1, 'text')",
    "INSERT INTO messages VALUES (9223372036854775807, 1, 9223372036854775807, zeroblob(1000000))",
    "INSERT INTO messages VALUES (1, 1, 1, NULL)",
)


@cache
def sound_bag(name: str) -> tuple[str, bytes]:
    """Return the suffix and the bytes of a recording before any damage."""
    with tempfile.TemporaryDirectory() as folder:
        path = every_kind()[name](Path(folder) / "sound")
        file = path if path.is_file() else next(p for p in path.iterdir() if p.suffix in SUFFIXES)
        return file.suffix, file.read_bytes()


def make_bag(random: Random, folder: Path) -> None:
    """Write a damaged recording, alone or as a ROS 2 bag's folder, or something else."""
    suffix, content = sound_bag(random.choice(list(every_kind())))
    place = folder
    if random.random() < 0.2:
        place = folder / "bag"
        place.mkdir()
        (place / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    path = place / f"v{random.choice(SUFFIXES) if random.random() < 0.1 else suffix}"
    match random.randrange(12):
        case 0:
            path.write_bytes(content[:20] + random.randbytes(random.choice((0, 1, 200, 5000))))
        case 1:
            path.symlink_to(random.choice(("/dev/zero", ".", path.name, "absent")))
        case 2:
            _write_database(random, path)
        case 3:
            path.write_bytes(content[: random.randrange(len(content))])
        case _:
            path.write_bytes(mutated(random, content))


def _write_database(random: Random, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        for query in random.sample(QUERIES, random.randrange(len(QUERIES) + 1)):
            try:
                database.execute(query)
            except sqlite3.Error:
                continue
        database.commit()


KINDS = [FuzzKind("bags", make_bag, read_recording, weight=0.3)]
"""The kinds of hostile recordings."""
