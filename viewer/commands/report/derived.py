"""Derive further values for the pages from measured rows: speed-ups, counts, course tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wheatstone.viewer.commands.report import published
from wheatstone.viewer.commands.report.plan import CANNY_COURSE, COURSE, OVERVIEW
from wheatstone.viewer.commands.report.transfers import transfer_name
from wheatstone.viewer.measuring.sweep import REFERENCE

Row = dict[str, Any]


def derive(content: dict[str, Any]) -> None:
    """Add all derived values to a document whose parts are complete."""
    for experiment in content["experiments"]:
        for rows in configurations(experiment["rows"]):
            for row in rows:
                row["speed_up"] = speed_up(row, rows)
    content["summary"] = summary(content)
    content["glance"] = [_glance(rows) for rows in configurations(rows_of(content, OVERVIEW))]
    content["moving"] = moving(rows_of(content, COURSE), content["transfers"])
    content["canny"] = canny(rows_of(content, CANNY_COURSE))


def rows_of(content: Mapping[str, Any], name: str) -> list[Row]:
    """List the rows of an experiment; empty if the document lacks the experiment."""
    return [row for one in content["experiments"] if one["name"] == name for row in one["rows"]]


def configurations(rows: Sequence[Row]) -> list[list[Row]]:
    """Group rows by configuration: one pipeline, size and set of parameters each."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["title"], []).append(row)
    return list(found.values())


def median(row: Mapping[str, Any] | None) -> float | None:
    """Return the median compute time of a frame in ms; None if the row was not measured."""
    return row["device_ms"]["median"] if row and "device_ms" in row else None


def named(rows: Sequence[Row], variant: str) -> Row | None:
    """Return the row of a variant; None if it has no row."""
    return next((row for row in rows if row["variant"] == variant), None)


def speed_up(row: Row, rows: Sequence[Row]) -> float | None:
    """Compute how many times as fast as the reference a row is; None for a wrong result."""
    base, own = median(named(rows, REFERENCE)), median(row)
    if not base or not own or row["identity"] in ("different", "unknown"):
        return None
    return base / own


def summary(content: Mapping[str, Any]) -> dict[str, Any]:
    """Count the rows by their comparison with the reference, and list variants not measured."""
    rows = [row for one in content["experiments"] for row in one["rows"]]
    measured = [row for row in rows if "device_ms" in row]
    counts = {
        name: sum(row["identity"] == name for row in measured)
        for name in ("reference", "identical", "different", "peer", "unknown")
    }
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if "device_ms" not in row:
            name = f"{row['pipeline']}/{row['variant']}"
            reasons.setdefault(row["not_measured"], []).append(name)
    absent = [{"why": why, "variants": sorted(set(names))} for why, names in reasons.items()]
    noisy = sum(row["noisy"] for row in measured)
    return {"rows": len(measured), **counts, "noisy": noisy, "absent": absent}


def _glance(rows: Sequence[Row]) -> dict[str, Any]:
    """Summarise a pipeline: the reference and the fastest variant with the same result."""
    same = [row for row in rows if row["identity"] in ("reference", "identical")]
    fastest = min(same, key=lambda row: median(row) or 0.0, default=None)
    first = rows[0]
    return {
        "pipeline": first["pipeline"],
        "width": first["width"],
        "height": first["height"],
        "reference_ms": median(named(rows, REFERENCE)),
        "cpu_ms": median(named(rows, "cpu")),
        "fastest": fastest["variant"] if fastest else None,
        "fastest_ms": median(fastest),
        "speed_up": fastest["speed_up"] if fastest else None,
        "rate": fastest["work"]["rate"] if fastest else None,
        "unit": fastest["work"]["unit"] if fastest else "",
        "identical": sum(row["identity"] == "identical" for row in rows),
        "compared": sum(row["identity"] in ("identical", "different") for row in rows),
    }


def moving(rows: Sequence[Row], transfers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Build the course's table of SGM: program times by step, memory and number of disparities."""
    lines = [
        _moved(rows, transfers, step, memory, variant)
        for step in published.STEPS
        for memory, variant in published.MEMORIES[step.name].items()
    ]
    fused = {
        "step": "all on the device, fused",
        "memory": "fast",
        "variant": "fast",
        "columns": list(_columns(rows, transfers, None, "fast", ())),
    }
    return [*lines, fused] if rows else []


def _moved(
    rows: Sequence[Row],
    transfers: Sequence[Mapping[str, Any]],
    step: published.PublishedStep,
    memory: str,
    variant: str,
) -> dict[str, Any]:
    theirs = published.SGM[step.name, memory]
    columns = list(_columns(rows, transfers, step, variant, theirs))
    return {"step": step.name, "memory": memory, "variant": variant, "columns": columns}


def _columns(
    rows: Sequence[Row],
    transfers: Sequence[Mapping[str, Any]],
    step: published.PublishedStep | None,
    variant: str,
    theirs: Sequence[published.Published],
) -> Iterator[dict[str, Any]]:
    for index, disparities in enumerate(published.DISPARITIES):
        at = [row for row in rows if row["params"]["disparities"] == disparities]
        host, own = named(at, REFERENCE), named(at, variant)
        name = transfer_name(own["command"]) if own else ""
        moved = next((t for t in transfers if t["command"] == name), None)
        yield {
            "disparities": disparities,
            "device_ms": _mixed(host, own, moved, step),
            "host_ms": median(host),
            "published_device_ms": theirs[index].device if theirs else None,
            "published_host_ms": theirs[index].host if theirs else None,
        }


def _mixed(
    host: Row | None,
    own: Row | None,
    moved: Mapping[str, Any] | None,
    step: published.PublishedStep | None,
) -> float | None:
    """Sum the times of a frame whose stages run partly on the device, including the copies.

    Args:
        host: the reference's row; its stages are those that run on the host.
        own: the variant's row; its stages are those that run on the device.
        moved: milliseconds of the copies.
        step: which stages run on the device; None: the whole frame of the variant.

    Returns:
        Milliseconds; None if a part was not measured.
    """
    if not host or not own or not moved or "device_ms" not in own or "device_ms" not in host:
        return None
    upload, download = moved["upload_ms"], moved["download_ms"].get(step.crossing if step else "")
    if download is None:
        return None
    if step is None:
        return float((median(own) or 0.0) + upload + download)
    on_device = moved_stages(step, list(host["stages_ms"]))
    if not on_device <= own["stages_ms"].keys():
        return None
    device = sum(own["stages_ms"][name]["median"] for name in on_device)
    rest = sum(times["median"] for n, times in host["stages_ms"].items() if n not in on_device)
    return float(upload + device + download + rest)


def moved_stages(step: published.PublishedStep, stages: Sequence[str]) -> set[str]:
    """List the stages that run on the device after a step of the course."""
    done = published.STEPS[: published.STEPS.index(step) + 1]
    if not step.stages:
        return set(stages)
    return {name for one in done for name in one.stages} & set(stages)


def canny(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Build the course's table of Canny: frame times with each GPU memory and on the host."""
    lines = []
    for group in configurations(rows):
        size = group[0]["width"], group[0]["height"]
        picture = published.CANNY_PICTURES.get(size, "")
        theirs = published.CANNY.get(picture)
        for row in group:
            if row["device"] == "cuda":
                shown = theirs if row["variant"] == "global" else None
                line = {"picture": picture, "width": size[0], "height": size[1]}
                line |= {"memory": row["variant"], "device_ms": median(row)}
                line |= {"host_ms": median(named(group, REFERENCE))}
                line |= {"published_device_ms": shown.device if shown else None}
                lines.append(line | {"published_host_ms": shown.host if shown else None})
    return lines
