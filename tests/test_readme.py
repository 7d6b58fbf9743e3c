"""The documentation: generated parts are up to date, and what pages name exists."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from benchmarks import quality
from tests.test_floors import FLOORS
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import VERBS, main, parse
from wheatstone.viewer.cli.documentation import PAGES, renewed, renewed_pages, sections
from wheatstone.viewer.cli.documentation import main as write_pages
from wheatstone.viewer.cli.requests import PEER_STARTS

ROOT = Path(__file__).resolve().parent.parent
LONGEST_README = 120  # lines: what a reader meets first
READ = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "assets").rglob("*.md")]
)
PLACEHOLDERS = ("VERB", "FIELD.NAME=VALUE", "LOW,HIGH", "X,Y,WIDTH,HEIGHT")
"""Words for which a reader puts his own; a command line with one of them is a pattern."""
STANDS_FOR = re.compile(r"NAME|STAGE|\b(?:test_)?x\b")
"""Names in a path that stand for any other, such as ``x`` in ``gpu/kernels/x.cu``."""
TOP = "(?:assets|benchmarks|docs|gpu|shaders|tests|tools|viewer)"
ENDS = "(?:cuh|cu|py|md|json|svg|png|txt|sh|frag)"


def pages() -> list[object]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in READ]


def command_lines(text: str) -> Iterator[str]:
    """Find every command line of the program: lines of listings, and words between backticks."""
    for line in re.findall(r"^    (wheatstone\b.*)$", text, re.MULTILINE):
        yield re.sub(r"(^|\s)#.*$", "", line).strip()
    for line in re.findall(r"(?<!`)`(wheatstone [^`]+)`(?!`)", text):
        yield line.replace("\n", " ")


def test_generated_parts_are_up_to_date() -> None:
    old = [path.name for path, text in renewed_pages().items() if path.read_text() != text]
    assert not old, f"{old}: run python -m wheatstone.viewer.cli.documentation"


def test_a_page_that_is_out_of_date_is_named_and_written_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("*.png"))
    page = tmp_path / PAGES[0]
    good = page.read_text()
    page.write_text(good.replace("zoom at the cursor", "nothing"))
    assert write_pages(["--check"], tmp_path) == 1
    assert f"{page} is out of date" in capsys.readouterr().err and page.read_text() != good
    assert write_pages([], tmp_path) == 0 and page.read_text() == good
    assert write_pages(["--check"], tmp_path) == 0


def test_a_part_that_stands_on_no_page_is_named(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for page in PAGES:
        text = (ROOT / page).read_text()
        (tmp_path / page).write_text(text.replace("<!-- mean-stages -->", ""))
    with pytest.raises(ValueError, match=r"no page of .* holds <!-- mean-stages -->"):
        renewed_pages(tmp_path)


def test_a_marker_without_a_part_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no generated part 'prices'"):
        renewed("<!-- prices -->\n<!-- end -->", sections())


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LONGEST_README


def test_every_verb_and_pipeline_is_named_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    assert all(f"wheatstone {verb}" in text for verb in VERBS)
    assert all(f"`{name}`" in text for name in PIPELINES)


def test_pages_are_found_with_their_links_and_command_lines() -> None:
    names = {path.name for path in READ}
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md", "report.md"} <= names
    lines = [line for path in READ for line in command_lines(path.read_text())]
    assert len(lines) > 60 and "wheatstone bench sgm" in lines


@pytest.mark.parametrize("page", pages())
def test_every_link_and_picture_leads_to_a_file(page: Path) -> None:
    prose = re.sub(r"^ {4}.*$", "", page.read_text(), flags=re.MULTILINE)
    links = re.findall(r"\]\(([^)\s]+)\)", prose)
    local = [link for link in links if "://" not in link and not link.startswith("#")]
    assert [link for link in local if not (page.parent / link.split("#")[0]).exists()] == []


@pytest.mark.parametrize("page", pages())
def test_every_link_into_a_page_leads_to_a_heading(page: Path) -> None:
    for link, anchor in re.findall(r"\]\(([\w./-]*\.md|)#([\w-]+)\)", page.read_text()):
        target = page.parent / link if link else page
        headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
        known = [re.sub(r"[^\w\s-]", "", title).lower().replace(" ", "-") for title in headings]
        assert anchor in known, f"{link}#{anchor}"


@pytest.mark.parametrize("page", pages())
def test_every_command_line_is_understood(page: Path) -> None:
    for line in command_lines(page.read_text()):
        own = {word for word in shlex.split(line) if word.startswith(PEER_STARTS)}
        words = ["cpu" if word in own else word for word in shlex.split(line)[1:]]
        if any(word.strip("[]") in PLACEHOLDERS for word in words):
            continue
        if len(words) == 1 and words[0] in VERBS:
            continue  # names the verb, which may need more words
        try:
            with redirect_stdout(StringIO()):
                assert parse(words).verb in VERBS, line
        except SystemExit as error:
            assert error.code == 0, f"{page.name}: {line}"


@pytest.mark.parametrize("page", pages())
def test_every_file_that_is_named_exists(page: Path) -> None:
    known = rf"(?<![\w/.-]){TOP}/[\w./-]*\w\.{ENDS}"
    named = [name for name in re.findall(known, page.read_text()) if not STANDS_FOR.search(name)]
    places = (ROOT, page.parent)
    assert [name for name in named if not any((at / name).exists() for at in places)] == []


@pytest.mark.parametrize("page", pages())
def test_every_folder_that_is_named_exists(page: Path) -> None:
    known = rf"`({TOP}(?:/\w+)+)/?`"
    named = [name for name in re.findall(known, page.read_text()) if not STANDS_FOR.search(name)]
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("package", FLOORS)
def test_the_picture_of_the_floors_is_that_of_the_law(package: str) -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    (picture,) = re.findall(rf"^```text\n{package}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    rooms = [room for line in picture.splitlines() for room in line.strip().split("  ")[0].split()]
    assert rooms == list(reversed(list(FLOORS[package])))


def test_the_report_is_made_of_its_document(tmp_path: Path) -> None:
    kept = ROOT / "docs" / "report"
    with redirect_stdout(StringIO()):
        assert main(["report", "--from", str(kept / "report.json"), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "index.html").is_file()
    files = [path for path in kept.rglob("*") if path.suffix in (".md", ".svg")]
    assert len(files) > 1
    for path in files:
        assert (tmp_path / path.relative_to(kept)).read_text() == path.read_text(), path.name


def test_the_page_of_quality_is_made_of_its_record() -> None:
    text = (ROOT / "docs" / "quality.md").read_text()
    record = json.loads((ROOT / "docs" / "quality.json").read_text())
    (command,) = re.findall(r"made by `([^`]+)`", text)
    assert quality.page(record, command, "images/sparsification.svg") == text
