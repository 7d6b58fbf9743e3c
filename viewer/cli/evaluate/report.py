"""The results of an evaluation, as tables for the terminal, and as JSON, Markdown and CSV."""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES, OWN_MEASURES, Region
from wheatstone.gpu.parameters import Params
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.sources.data_sets import DataSet, data_set_named
from wheatstone.viewer.run.carry import FIGURE_DIGITS
from wheatstone.viewer.run.measuring.result_files import word, write, write_json
from wheatstone.viewer.run.measuring.tables import Table, to_markdown

LONGEST_NAME = 200  # bytes of a state file's name, before its suffixes
SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate", 1
PRESETS_SCHEMA = "wheatstone-evaluate-presets"
WRONG = "bad-2"
"""The measure that the final sentence reports."""
HEADINGS = {"average error": "average"}
REGION = {
    "seen": "Judged pixels: visible in both views, with known ground truth.",
    "known": "Judged pixels: all with known ground truth.",
}
FACTS = ("width", "height", "min_disparity", "disparities", "judged", "occlusions")


@dataclass(frozen=True)
class PairOutcome:
    """The result of evaluating a pair: its error measures, or the reason why it has none.

    Attributes:
        figures: the measures by name; None for one that has no value. Empty if the pair failed.
        facts: facts about the pair for the reader, such as its size.
        why: why the pair failed; empty if it did not.
        where: worker and device that judged it, by name; empty if this machine did.
    """

    name: str
    figures: Mapping[str, float | None] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """The results of an evaluation, one for every pair of a data set.

    Attributes:
        data: the data set, as the command line names it.
        outcomes: one for every pair, in the order of the data set.
        data_set: name of the public data set; empty: no known one.
        preset: name of the preset that the parameters match; empty: none.
    """

    data: str
    pipeline: str
    variant: str
    params: Params
    convention: str
    region: Region
    outcomes: tuple[PairOutcome, ...]
    data_set: str = ""
    preset: str = ""

    @property
    def done(self) -> list[PairOutcome]:
        """List the pairs that have error measures."""
        return [outcome for outcome in self.outcomes if not outcome.why]

    @property
    def failed(self) -> list[PairOutcome]:
        """List the pairs that failed and have no error measures."""
        return [outcome for outcome in self.outcomes if outcome.why]

    @property
    def units(self) -> dict[str, str]:
        """Return the units of all measures, by name."""
        known = data_set_named(self.data_set)
        return MEASURES | {n: OWN_MEASURES[n] for n in (known.extra_measures if known else ())}

    @property
    def means(self) -> dict[str, float | None]:
        """Return the mean of each measure over the pairs, by name; None if a value is missing."""
        return {name: _mean([o.figures[name] for o in self.done]) for name in self.units}

    @property
    def weighted_means(self) -> dict[str, float | None]:
        """Return means weighted as the data set's publisher does; empty without weights."""
        known = data_set_named(self.data_set)
        if not known or not (known.weights or known.pooled):
            return {}
        return {name: _weighted(known, name, self.done) for name in self.units}

    def to_json(self) -> dict[str, Any]:
        """Build the document that ``--json`` writes; it is deterministic."""
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "wheatstone": VERSION,
            "data": self.data,
            "pipeline": self.pipeline,
            "variant": self.variant,
            **({"preset": self.preset} if self.preset else {}),
            "params": self.params.values(),
            "convention": self.convention,
            "region": self.region,
            **({"data_set": self.data_set} if self.data_set else {}),
            "units": self.units,
            "mean": self.means,
            **({"weighted_mean": weighted} if (weighted := self.weighted_means) else {}),
            "pairs": [
                {"pair": o.name, **o.facts, **o.where, "figures": o.figures} for o in self.done
            ],
            "failed": [{"pair": o.name, "why": o.why} for o in self.failed],
        }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), FIGURE_DIGITS) if known and len(known) == len(values) else None


def _weighted(data_set: DataSet, measure: str, outcomes: Sequence[PairOutcome]) -> float | None:
    """Return the mean of a measure over the pairs that have it, weighted as a data set does."""
    total = weights = 0.0
    for outcome in outcomes:
        facts, foreground = outcome.facts, outcome.figures.get("foreground")
        judged = facts["width"] * facts["height"] * facts["judged"]
        weight = data_set.weight(outcome.name, measure, judged, foreground)
        if (value := outcome.figures[measure]) is not None:
            total, weights = total + weight * value, weights + weight
    return round(total / weights, FIGURE_DIGITS) if weights else None


def all_tables(reports: Sequence[Report], presets: Sequence[str]) -> list[Table]:
    """Build the tables of one or more reports; several end with a table of one row per preset.

    Args:
        presets: the names of the presets, in the order of the reports.
    """
    listed = [table for report in reports for table in tables(report)]
    return [*listed, _by_preset(reports, presets)] if len(reports) > 1 else listed


def _by_preset(reports: Sequence[Report], presets: Sequence[str]) -> Table:
    names = _measures(reports[0])
    header = ("preset", *(HEADINGS.get(name, name) for name in names), "pairs")
    rows = tuple(
        (preset, *_cells(report.means, names), str(len(report.done)))
        for preset, report in zip(presets, reports, strict=True)
    )
    notes = ("Means of all pairs that did not fail.",)
    return Table(f"{reports[0].data}: presets", header, rows, notes=notes)


def _measures(report: Report) -> tuple[str, ...]:
    """List the measures that the tables show: those of the data set, else the usual ones."""
    known = data_set_named(report.data_set)
    return (*known.measures, "density") if known and known.measures else tuple(MEASURES)


def tables(report: Report) -> list[Table]:
    """Build tables of the results: measures, facts about the pairs, and failed pairs."""
    preset = f", preset {report.preset}" if report.preset else ""
    program = f"{report.pipeline}/{report.variant}{preset}"
    title = f"{report.data}: {program}, convention {report.convention}"
    names = _measures(report)
    header = ("pair", *(HEADINGS.get(name, name) for name in names))
    rows = [(o.name, *_cells(o.figures, names)) for o in report.done]
    rows += [("mean", *_cells(report.means, names))] if rows else []
    if rows and (weighted := report.weighted_means):
        rows += [("weighted mean", *_cells(weighted, names))]
    units = "bad, D1 and density in per cent, the others in pixels."
    help = CONVENTIONS[report.convention].help
    notes = (f"{help} {REGION[report.region]}", f"{units[0].upper()}{units[1:]}")
    every = Table(title, header, tuple(rows), notes=notes), _pairs(report), _failed(report)
    shown = [table for table in every if table.rows]
    return [*shown[:-1], replace(shown[-1], notes=(*shown[-1].notes, in_words(report)))]


def in_words(report: Report) -> str:
    """Summarise the results in a sentence: the mean error, and the best and the worst pair."""
    failed = f"{len(report.failed)} of {len(report.outcomes)} pairs failed"
    shares = ((o.figures[WRONG], o.name) for o in report.done)
    wrong = sorted((share, name) for share, name in shares if share is not None)
    if not wrong:
        return f"{failed}."
    (least, best), (most, worst) = wrong[0], wrong[-1]
    ends = f": least {best} ({least:.2f} %), most {worst} ({most:.2f} %)" if len(wrong) > 1 else ""
    share = fmean(share for share, _ in wrong)
    wrong_share = f"{share:.2f} % of the pixels judged are wrong by more than 2 px"
    many = f", on average of {len(wrong)} pairs" if len(wrong) > 1 else ""
    return f"In short: {wrong_share}{many}{ends}{f'; {failed}' if report.failed else ''}."


def _cells(figures: Mapping[str, float | None], names: Sequence[str]) -> list[str]:
    return ["" if (f := figures[name]) is None else f"{f:.2f}" for name in names]


def _pairs(report: Report) -> Table:
    rows = []
    for outcome in report.done:
        facts = outcome.facts
        last = facts["min_disparity"] + facts["disparities"] - 1
        searched = f"{facts['min_disparity']} to {last}" if facts["disparities"] else ""
        size, judged = f"{facts['width']}x{facts['height']}", f"{facts['judged']:.2f}"
        rows.append((outcome.name, size, searched, judged, str(facts["occlusions"])))
    header = ("pair", "size", "searched, px", "judged, %", "occlusions by")
    return Table("pairs", header, tuple(rows))


def _failed(report: Report) -> Table:
    rows = tuple((outcome.name, outcome.why) for outcome in report.failed)
    title = f"failed: {len(rows)} of {len(report.outcomes)}"
    return Table(title, ("pair", "why"), rows, frozenset(range(len(rows))))


def write_files(
    reports: Sequence[Report],
    presets: Sequence[str],
    json: Path | None,
    markdown: Path | None,
    csv: Path | None,
) -> None:
    """Write the results to the files that are not None, each completely or not at all.

    Args:
        presets: the names of the presets, in the order of the reports.
    """
    if json:
        write_json(json, to_json(reports, presets))
    if markdown:
        write(markdown, "\n".join(map(to_markdown, all_tables(reports, presets))))
    if csv:
        write(csv, to_csv(reports, presets))


def to_json(reports: Sequence[Report], presets: Sequence[str]) -> dict[str, Any]:
    """Build the document that ``--json`` writes: a report, or a list of several by preset."""
    if len(reports) == 1:
        return reports[0].to_json()
    named = zip(presets, reports, strict=True)
    listed = [{"preset": preset, **report.to_json()} for preset, report in named]
    head = {"schema": PRESETS_SCHEMA, "schema_version": SCHEMA_VERSION, "wheatstone": VERSION}
    return {**head, "reports": listed}


def to_csv(reports: Sequence[Report], presets: Sequence[str]) -> str:
    """Format the results as CSV, one row per pair, with the reason for failed pairs.

    Rows of several reports begin with the preset.
    """
    text = io.StringIO()
    where = dict.fromkeys(name for r in reports for o in r.outcomes for name in o.where)
    first = ["preset"] if len(reports) > 1 else []
    header = [*first, "pair", *FACTS, *reports[0].units, *where, "why"]
    writer = csv.DictWriter(text, header, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for preset, report in zip(presets or ("",), reports, strict=True):
        for outcome in report.outcomes:
            placed = {name: word(text) for name, text in outcome.where.items()}
            row = {**outcome.facts, **outcome.figures, **placed, "why": word(outcome.why)}
            writer.writerow({"preset": preset, "pair": word(outcome.name), **row})
    return text.getvalue()


def state_path(data: str) -> Path:
    """Return the path, in the current folder, of the file that records finished pairs.

    A long name is cut, because file systems allow 255 bytes.
    """
    name = os.fsencode(data.replace("/", "_"))[:LONGEST_NAME].decode(errors="ignore")
    return Path(f"{name}.evaluate.jsonl")
