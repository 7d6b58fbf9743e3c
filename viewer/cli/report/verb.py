"""``wheatstone report``: measure this machine, store the results, and write pages about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.viewer.cli.evaluate.data_sets import open_data_set
from wheatstone.viewer.cli.report.document import NAME, Document, is_report, read
from wheatstone.viewer.cli.report.pages import PAGES, PLOTS, page_files, write_pages
from wheatstone.viewer.cli.report.picture_files import (
    FOLDER,
    file_name,
    missing_pictures,
    read_pictures,
)
from wheatstone.viewer.cli.report.plan import ReportPlan, as_typed, report_plan
from wheatstone.viewer.cli.report.sections import identity_text, sections
from wheatstone.viewer.cli.requests import VerbRequest
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.output import remove_unfinished
from wheatstone.viewer.io.files.run_folder import RunDefinition, RunFolder
from wheatstone.viewer.io.files.sole_writer import sole_writer
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.reading.typed_values import shown
from wheatstone.viewer.options import flag_option, path_option

DEFAULT = Path("wheatstone-report")


@dataclass(frozen=True, kw_only=True)
class ReportRequest(VerbRequest):
    """The options of ``report``, which measures this machine, or writes an old report's pages."""

    verb: ClassVar[str] = "report"
    usage: ClassVar[str] = "wheatstone report [options]"
    epilog: ClassVar[str] = (
        "The files in DIR are index.html, a complete page that needs no network; report.md, with "
        "pictures and plots; and report.json, from which both are generated. The same command "
        "continues an interrupted report. Exit codes: 0 done; 1 a result differs from the "
        "reference, or a pair failed; 2 bad input or arguments."
    )
    out: Path | None = path_option(
        f"output folder, created if missing; default: {DEFAULT}, or that of --from", "DIR"
    )
    data: tuple[Path, ...] = path_option(
        "data set with ground truth, evaluated together with the built-in scenes; may be repeated",
        "DIR",
        repeated=True,
    )
    quick: bool = flag_option(
        "measure briefly on small images, to test this machine; not for comparing times"
    )
    renew: bool = flag_option(
        "measure everything again, and replace an earlier report in the folder, also one with "
        "other options"
    )
    force: bool = flag_option("replace files in the folder that report did not write")
    source: Path | None = path_option(
        "write the pages of an earlier report.json again, without measuring",
        "JSON",
        names=("--from",),
    )

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for options that contradict each other."""
        if self.source and (self.data or self.quick or self.renew):
            raise ValueError("--from measures nothing: omit --data, --quick and --renew")


def report(request: ReportRequest) -> int:
    """Run ``wheatstone report``: measure and write a report; return the exit code."""
    if request.source:
        return _pages_of_earlier(request.source, request.out, force=request.force)
    from wheatstone.viewer.cli.report.measuring import run

    place = request.out or DEFAULT
    plan = report_plan(request.data, quick=request.quick)
    _check_inputs(request.data, place, plan)
    own_folder(place, links=True)
    with sole_writer(place):
        folder = _opened(place, plan, request)
        document = Document(place / NAME, as_typed(request.words), renew=request.renew)
        if document.note:
            say(document.note)
        if document.other_machine:
            say(f"{place / NAME} is from another machine or version: everything is measured again")
        try:
            run(document, place, plan)
        except KeyboardInterrupt:
            say(f"interrupted; the same command continues from {place / NAME}")
            raise
        if document.reused:
            say(f"{document.reused} parts existed already; --renew measures them again")
        return _write_pages(document.content, place, place, folder, force=request.force)


def _opened(place: Path, plan: ReportPlan, request: ReportRequest) -> RunFolder:
    """Open the output folder of a report, and reserve the names of its files."""
    facts = {"data": [str(resolved(path)) for path in request.data], "quick": request.quick}
    folder = RunFolder(place, RunDefinition("report", facts, "--renew"))
    pictures = (f"{FOLDER}/{file_name(one.name)}" for one in plan.pictures)
    files = [*PAGES, NAME, *dict.fromkeys(pictures)]
    there = [f"{PLOTS}/{path.name}" for path in (place / PLOTS).glob("*.svg")]  # may be replaced
    if not folder.begun and is_report(place / NAME):  # which an earlier version wrote
        folder.files = {*files, *there}
    if request.renew and folder.differences:
        folder.clear()
    folder.check()
    if not request.force:
        folder.check_foreign([*files, *there])
    folder.claim(files)
    remove_unfinished(folder.folders | {place / PLOTS})
    return folder


def _check_inputs(data: Sequence[Path], folder: Path, plan: ReportPlan) -> None:
    """Raise an error if a report would replace files of the data sets that it evaluates."""
    read = [path for each in data for path in open_data_set(each).files]
    pictures = dict.fromkeys(f"{FOLDER}/{file_name(one.name)}" for one in plan.pictures)
    check_below(folder, [NAME, *PAGES, *pictures], read)


def _pages_of_earlier(document: Path, out: Path | None, *, force: bool) -> int:
    """Write the pages of an earlier report without measuring; return the exit code."""
    content = read(document)
    if not content["complete"]:
        command = shown(visible(content["command"]))
        raise ValueError(f"{document}: incomplete; `{command}` continues it")
    source = document.parent
    target = out or source
    check_below(target, PAGES)
    own_folder(target, links=True)
    own = resolved(target) == resolved(source)
    with sole_writer(target):
        facts = {"from": str(resolved(document))}
        folder = RunFolder(target, RunDefinition("report", facts))
        if not own:
            folder.check()
        known = folder if folder.begun or not own else None  # an earlier version wrote it
        return _write_pages(content, source, target, known, force=force)


def _write_pages(
    content: Mapping[str, Any], source: Path, target: Path, folder: RunFolder | None, *, force: bool
) -> int:
    """Write the pages of a report's document; return 1 if a result or a pair failed, else 0.

    Args:
        source: the folder that holds the document and its pictures.
        folder: that of the pages; None: its content is not tracked.
        force: whether to replace files in it that no report wrote.
    """
    pictures = read_pictures(content, source / FOLDER)
    for sentence in missing_pictures(source / FOLDER, pictures):
        say(sentence)
    content = pictures.content(content)
    parts = sections(content)
    if folder:
        files = page_files(parts, pictures)
        if not force:
            folder.check_foreign(files)
        folder.claim(files)
    for path in write_pages(content, parts, pictures, target):
        say(f"wrote {path}")
    say(in_short(content))
    failed = content["summary"]["different"] + sum(len(q["failed"]) for q in content["quality"])
    return 1 if failed else 0


def in_short(content: Mapping[str, Any]) -> str:
    """Summarise a report in a line: correct results, fastest variants, number of failures."""
    fastest = [f"{one['pipeline']} {one['fastest']}" for one in content["glance"] if one["fastest"]]
    wrong = len({one["pair"] for quality in content["quality"] for one in quality["failed"]})
    parts = [
        identity_text(content),
        f"fastest of these: {', '.join(dict.fromkeys(fastest))}" if fastest else "",
        f"{wrong} pair{'s'[: wrong > 1]} could not be judged" if wrong else "",
    ]
    return f"in short: {'; '.join(filter(None, parts))}"
