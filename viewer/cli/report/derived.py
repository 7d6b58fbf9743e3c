"""Values derived from the measured rows of a report: speed-ups, counts, comparison tables."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wheatstone.viewer.cli.report.plan import CANNY_COURSE, COURSE, OVERVIEW
from wheatstone.viewer.run.measuring.sweep import REFERENCE

Row = dict[str, Any]


class CourseStep(NamedTuple):
    """A step of a published CUDA course, which moves stages of SGM from the host to the GPU.

    Attributes:
        stages: the stages that move; empty: all remaining ones.
        crossing: the image that the host then copies from the device; empty: the result.
        each: whether the host copies the image once for every path.
    """

    name: str
    stages: tuple[str, ...] = ()
    crossing: str = ""
    each: bool = False


class PublishedLine(NamedTuple):
    """A line of a CUDA course's published table of SGM: times in ms for each of ``DISPARITIES``.

    Attributes:
        memory: the memory's name in the course.
        variant: the variant that uses this memory in the same way.
        times: of the program with a part on the device, and of the same program on the host.
    """

    step: CourseStep
    memory: str
    variant: str
    times: tuple[tuple[float, float], ...]


SGM_SOURCE = (
    "SGM stereo with CUDA, University of Aveiro, Advanced Computer Architecture, 2016; "
    "whole program, bull pair of 433x381"
)
DISPARITIES = (32, 64)
COSTS = CourseStep("costs", ("census_transform", "matching_cost"), "cost")
PATHS = CourseStep("+ paths", ("path_aggregation",), "path_costs", each=True)
SUM = CourseStep("+ sum", ("path_sum",), "sums")
VIEW = CourseStep("+ view: all on the device")
STEPS = (COSTS, PATHS, SUM, VIEW)
PUBLISHED = tuple(
    PublishedLine(step, memory, variant, ((first, second), (third, fourth)))
    for step, memory, variant, first, second, third, fourth in (
        (COSTS, "global v1", "global-scanline", 5048.7, 5160.2, 19562.1, 19739.5),
        (COSTS, "global v2", "global", 5044.9, 5057.6, 19502.0, 19576.7),
        (COSTS, "texture", "texture", 5037.2, 5108.8, 19552.8, 19654.7),
        (PATHS, "global v1", "global-scanline", 4754.5, 5044.5, 17583.1, 19286.2),
        (PATHS, "global v2", "global", 479.7, 5052.7, 1013.2, 19321.2),
        (PATHS, "shared", "shared", 373.3, 5227.0, 976.5, 20004.9),
        (PATHS, "texture", "texture", 372.2, 5294.9, 976.9, 19992.2),
        (SUM, "global", "global", 383.6, 5163.1, 826.3, 19342.5),
        (SUM, "shared", "shared", 276.7, 5177.0, 790.6, 19944.4),
        (SUM, "texture", "texture", 275.2, 5192.1, 790.7, 20159.5),
        (VIEW, "global", "global", 359.3, 5035.8, 784.1, 19367.6),
        (VIEW, "shared", "shared", 250.1, 5306.3, 746.9, 20010.9),
        (VIEW, "texture", "texture", 252.0, 5188.4, 750.9, 20155.4),
    )
)
CANNY_SOURCE = (
    "Canny edge detector with CUDA, University of Aveiro, Advanced Computer Architecture, 2015; "
    "all four kernels on the device, global memory"
)
CANNY: Mapping[tuple[int, int], tuple[str, float, float]] = {
    (512, 512): ("lena", 116.0, 178.0),
    (300, 262): ("house", 46.0, 62.0),
    (200, 200): ("chess", 16.8, 24.0),
}
"""The course's pictures by width and height: a name, and times in ms on the device and the host."""


def transfer_name(command: str) -> str:
    """Return the name under which copy times are stored, given a measured row's command line."""
    return f"copies of {command}"


def derive(content: dict[str, Any]) -> None:
    """Add all derived values to a report's document, whose measurements are complete."""
    for experiment in content["experiments"]:
        for rows in configurations(experiment["rows"]):
            for row in rows:
                row["speed_up"] = speed_up(row, rows)
    content["summary"] = summary(content)
    content["glance"] = [_glance(rows) for rows in configurations(rows_of(content, OVERVIEW))]
    content["moving"] = moving(rows_of(content, COURSE), content["transfers"])
    content["canny"] = canny(rows_of(content, CANNY_COURSE))


def rows_of(content: Mapping[str, Any], name: str) -> list[Row]:
    """List the measured rows of an experiment; empty if the document lacks the experiment."""
    return [row for one in content["experiments"] if one["name"] == name for row in one["rows"]]


def configurations(rows: Sequence[Row]) -> list[list[Row]]:
    """Group measured rows by configuration: one pipeline, size and set of parameters each."""
    by_title: dict[str, list[Row]] = {}
    for row in rows:
        by_title.setdefault(row["title"], []).append(row)
    return list(by_title.values())


def median(row: Mapping[str, Any] | None) -> float | None:
    """Return the median compute time of a frame in ms; None if the variant was not measured."""
    return row["device_ms"]["median"] if row and "device_ms" in row else None


def named(rows: Sequence[Row], variant: str) -> Row | None:
    """Return the measured row of a variant; None if it has none."""
    return next((row for row in rows if row["variant"] == variant), None)


def speed_up(row: Row, rows: Sequence[Row]) -> float | None:
    """Compute how many times as fast as the reference a variant is; None for a wrong result."""
    base, own = median(named(rows, REFERENCE)), median(row)
    if not base or not own or row["identity"] in ("different", "unknown"):
        return None
    return base / own


def summary(content: Mapping[str, Any]) -> dict[str, Any]:
    """Count the measured variants by comparison with the reference; list those not measured."""
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
    """Summarise the times of a pipeline: the reference, and the fastest correct variant."""
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
    """Build a table of SGM times by step, memory and disparities, next to a CUDA course's times."""
    if not rows:
        return []
    copies = {one["command"]: one for one in transfers}
    lines = [
        (line.step.name, line.memory, line.variant, line.step, line.times) for line in PUBLISHED
    ]
    fused = ("all on the device, fused", "fast", "fast", None, ((None, None),) * len(DISPARITIES))
    return [
        {
            "step": name,
            "memory": memory,
            "variant": variant,
            "columns": [
                _column(rows, copies, variant, step, disparities) | _published(*times)
                for disparities, times in zip(DISPARITIES, published, strict=True)
            ],
        }
        for name, memory, variant, step, published in [*lines, fused]
    ]


def _published(device: float | None, host: float | None) -> dict[str, float | None]:
    return {"published_device_ms": device, "published_host_ms": host}


def _column(
    rows: Sequence[Row],
    copies: Mapping[str, Mapping[str, Any]],
    variant: str,
    step: CourseStep | None,
    disparities: int,
) -> dict[str, Any]:
    at = [row for row in rows if row["params"]["disparities"] == disparities]
    host, own = named(at, REFERENCE), named(at, variant)
    moved = copies.get(transfer_name(own["command"])) if own else None
    device = _mixed(host, own, moved, step) if host and own and moved else None
    return {"disparities": disparities, "device_ms": device, "host_ms": median(host)}


def _mixed(host: Row, own: Row, moved: Mapping[str, Any], step: CourseStep | None) -> float | None:
    """Return the time of a frame computed partly on the device, including the copies.

    Args:
        host: the reference's row; its stages are those that run on the host.
        own: the variant's row; its stages are those that run on the device.
        moved: milliseconds of the copies.
        step: which stages run on the device; None: the whole frame of the variant.

    Returns:
        Milliseconds; None if a part was not measured.
    """
    upload, download = moved["upload_ms"], moved["download_ms"].get(step.crossing if step else "")
    if "device_ms" not in own or "device_ms" not in host or download is None:
        return None
    if step is None:
        return float((median(own) or 0.0) + upload + download)
    on_device = moved_stages(step, list(host["stages_ms"]))
    if not on_device <= own["stages_ms"].keys():
        return None
    device = sum(own["stages_ms"][name]["median"] for name in on_device)
    rest = sum(times["median"] for n, times in host["stages_ms"].items() if n not in on_device)
    return float(upload + device + download + rest)


def moved_stages(step: CourseStep, stages: Sequence[str]) -> set[str]:
    """Return the names of the stages that run on the device after a step of the CUDA course."""
    done = STEPS[: STEPS.index(step) + 1]
    return {n for one in done for n in one.stages} & set(stages) if step.stages else set(stages)


def canny(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Build a table of Canny times for each kind of GPU memory, next to a CUDA course's times."""
    lines = []
    for group in configurations(rows):
        size = group[0]["width"], group[0]["height"]
        picture, *times = CANNY.get(size, ("", None, None))
        for row in group:
            if row["device"] == "cuda":
                line = {"picture": picture, "width": size[0], "height": size[1]}
                line |= {"memory": row["variant"], "device_ms": median(row)}
                line |= {"host_ms": median(named(group, REFERENCE))}
                shown = times if row["variant"] == "global" else (None, None)
                lines.append(line | _published(*shown))
    return lines
