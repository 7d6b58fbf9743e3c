"""Check a report's document as a whole: references, completeness and limits of size.

The types of single values are declared in ``document_types``.
"""

from collections import Counter
from collections.abc import Iterator

from wheatstone.viewer.commands.report.document_types import ReportDict, ReportRowDict

DERIVED = ("views", "sliders", "summary", "glance", "moving", "canny")
MOST_ROWS, MOST_VARIANTS, MOST_STAGES, MOST_FIGURES = 1000, 64, 128, 50_000


def every_row(report: ReportDict) -> Iterator[ReportRowDict]:
    """Yield the rows of all experiments."""
    for experiment in report["experiments"]:
        yield from experiment["rows"]


def complete(report: ReportDict) -> str:
    """Check that a complete report has the values derived from its parts."""
    lacking = [key for key in DERIVED if key not in report] if report["complete"] else []
    return f"is called complete, but lacks {', '.join(lacking)}" if lacking else ""


def experiments_once(report: ReportDict) -> str:
    """Check that experiments have different names, because their plots are files of these names."""
    counts = Counter(experiment["name"] for experiment in report["experiments"])
    twice = [name for name, count in counts.items() if count > 1]
    return f"has more than one experiment named {', '.join(twice)}" if twice else ""


def devices_described(report: ReportDict) -> str:
    """Check that every measured device has a description."""
    lacking = report["copy_gb_per_s"].keys() - report["environment"]["devices"].keys()
    return f"environment.devices lacks {', '.join(sorted(lacking))}" if lacking else ""


def rows_that_fit(report: ReportDict) -> str:
    """Check that the tables can hold all rows, variants and stages."""
    rows = list(every_row(report))
    stages = {name for row in rows for name in row.get("stages_ms", ())}
    counts = {
        "rows": (len(rows), MOST_ROWS),
        "variants": (len({row["variant"] for row in rows}), MOST_VARIANTS),
        "stages": (len(stages), MOST_STAGES),
    }
    for what, (count, most) in counts.items():
        if count > most:
            return f"has {count} different {what}; at most {most} are shown"
    return ""


def figures_that_fit(report: ReportDict) -> str:
    """Check that a table of each pair in each run can hold all runs and pairs."""
    runs = Counter(run["data"] for run in report["quality"])
    pairs = {(run["data"], pair["pair"]) for run in report["quality"] for pair in run["pairs"]}
    count = sum(runs[data] for data, _ in pairs)
    if count > MOST_FIGURES:
        return f"has {count} figures of pairs; at most {MOST_FIGURES} are shown"
    return ""


CHECKS = (complete, experiments_once, devices_described, rows_that_fit, figures_that_fit)
