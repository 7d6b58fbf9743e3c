"""A small report, cut from the one in ``docs/report``: what hostile ones begin with."""

import json
import struct
import zlib
from functools import cache
from pathlib import Path
from typing import Any

WHOLE = Path(__file__).resolve().parents[2] / "docs" / "report" / "report.json"
VARIANTS = ("reference", "cpu", "fast", "shared")
EXPERIMENTS = ("overview", "course", "canny-course", "radius", "template", "cold")
ROWS = 2  # of an experiment


@cache
def small_report() -> dict[str, Any]:
    """Cut the report; not to be changed."""
    document: dict[str, Any] = json.loads(WHOLE.read_text())
    every = [one for one in document["experiments"] if one["name"] in EXPERIMENTS]
    document["experiments"] = every
    for experiment in every:
        rows = [row for row in experiment["rows"] if row["variant"] in VARIANTS]
        experiment["rows"] = [_cut_row(row) for row in rows[:ROWS]]
    every[0]["rows"].append(_not_measured(every[0]["rows"][-1]))
    document["quality"] = [_cut_quality(document["quality"][0])]
    drawn = document["pictures"][:2]
    absent = {"name": "sgm-absent", "title": "sgm: absent", "alt": "Nothing.", "why": "no GPU"}
    document["pictures"] = [*drawn, {**absent, "command": "wheatstone render sgm"}]
    document["views"] = [drawn[0]["name"], "sgm-absent"]
    names = {"before": drawn[0]["name"], "after": drawn[1]["name"]}
    document["sliders"] = [{"title": "From one to the other", **names}]
    document["summary"]["absent"] = [{"why": "no GPU", "variants": ["sgm/fast"]}]
    for name in ("transfers", "glance", "moving", "canny"):
        document[name] = document[name][:2]
    return document


def _cut_row(row: dict[str, Any]) -> dict[str, Any]:
    """Keep two stages of a row and some of its parameters."""
    stages = dict(list(row["stages_ms"].items())[:2])
    params = dict(list(row["params"].items())[:3])
    return row | {"stages_ms": stages, "roofline": row["roofline"][:2], "params": params}


def _not_measured(row: dict[str, Any]) -> dict[str, Any]:
    names = ("title", "pipeline", "device", "peer", "width", "height", "source", "params")
    kept = {name: row[name] for name in names}
    about = {"variant": "texture", "command": "", "identity": "unknown", "date": ""}
    difference = {"image": "sums", "count": 1, "total": 9, "first": [1, 2], "largest": None}
    return kept | about | {"differences": [difference], "not_measured": "no GPU"}


def _cut_quality(run: dict[str, Any]) -> dict[str, Any]:
    units = dict(list(run["units"].items())[1:3])
    mean = {name: run["mean"][name] for name in units}
    pairs = [pair | {"figures": mean} for pair in run["pairs"][:2]]
    failed = [{"pair": "absent", "why": "absent.png: no such file"}]
    return run | {"units": units, "mean": mean, "pairs": pairs, "failed": failed}


def png(width: int = 3, height: int = 2) -> bytes:
    """Write a grey PNG file by hand; one that is large only says so."""
    rows = b"".join(b"\0" + bytes(min(width, 100)) for _ in range(min(height, 100)))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, body) for kind, body in chunks)


def chunk(kind: bytes, body: bytes) -> bytes:
    """Write a chunk of a PNG file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
