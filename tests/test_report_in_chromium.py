"""The report's page as a browser shows it: scripts, network, slider, numbers, small screens."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import Page, find_chromium
from wheatstone.viewer.cli.report.document import NAME, Document, read
from wheatstone.viewer.cli.report.measuring import run
from wheatstone.viewer.cli.report.pages import write_pages
from wheatstone.viewer.cli.report.picture_files import FOLDER, read_pictures
from wheatstone.viewer.cli.report.plan import (
    COURSE,
    OVERVIEW,
    Experiment,
    ReportPlan,
    picture_of_view,
    sliders,
)
from wheatstone.viewer.cli.report.sections import sections

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="Chromium is missing (Debian: apt-get install chromium)"
)
EXTENT = "--repeat 3 --seconds 0.1"
SMALL = ReportPlan(
    (
        Experiment(OVERVIEW, "Two pipelines", f"sgm invert --size 64x48 --stages {EXTENT}"),
        Experiment(
            COURSE, "Steps", f"sgm --preset aveiro-2016 --size 64x48 --disparities 32 {EXTENT}"
        ),
        Experiment(
            "radius", "Radius", f"mean --size 64x48 --radius 1 2 3 {EXTENT}", swept="radius"
        ),
    ),
    (("evaluate", "--size", "64x48", "--scene", "orbit"),),
    (picture_of_view("invert", "inverted", "Negative.", "--size", "96x72"),),
    sliders("96x72", "16")[:2],
)
# The sizes of all text that is seen, in pixels of the screen; drawings are scaled.
SIZES = """[...document.querySelectorAll("body *")].filter(
    e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && e.checkVisibility()
      && !["SCRIPT", "STYLE", "title"].includes(e.tagName)
  ).map(e => parseFloat(getComputedStyle(e).fontSize)
    * (e.ownerSVGElement ? e.ownerSVGElement.getScreenCTM().a : 1))"""
# Contrast of text on its background, by the definition of WCAG 2.
CONTRASTS = """(() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  return [...document.querySelectorAll("h1, p, a, .caption, td, th, summary, svg text")].map(e => {
    const style = getComputedStyle(e), onSvg = e instanceof SVGElement;
    if (onSvg && e.classList.contains("letter")) return 21;
    const pair = [light(onSvg ? style.fill : style.color), light(paper)].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  });
})()"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    document = Document(folder / NAME, "wheatstone report")
    run(document, folder, SMALL)
    pictures = read_pictures(document.content, folder / FOLDER)
    content = pictures.content(document.content)
    assert len(list(write_pages(content, sections(content), pictures, folder))) == 2
    return folder


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Page]:
    assert PROGRAM
    with Page(PROGRAM) as page:
        page.size(1280, 900)
        page.open(folder / "index.html")
        yield page


@pytest.fixture
def page(browser: Page) -> Iterator[Page]:
    browser.size(1280, 900)
    browser.look()
    browser.run("window.scrollTo(0, 0)")
    yield browser


def test_nothing_is_complained_of_and_nothing_asked_for(page: Page, folder: Path) -> None:
    assert page.complaints == []
    asked = [address for address in page.requests if not address.startswith("data:")]
    assert asked == [(folder / "index.html").resolve().as_uri()]
    assert page.run("document.querySelectorAll('img').length") == 5
    assert page.run("[...document.images].every(i => i.naturalWidth > 0)")
    assert page.run("document.querySelectorAll('section').length") >= 7


def test_the_policy_forbids_the_network(folder: Path) -> None:
    assert PROGRAM
    with Page(PROGRAM) as page:
        page.open(folder / "index.html")
        page.run("new Image().src = 'http://127.0.0.1:9/a.png'")
        page.run("fetch('http://127.0.0.1:9/b').catch(() => document.title = 'refused')")
        while page.run("document.title") != "refused":
            pass
        refused = [text for text in page.complaints if "Content Security Policy" in text]
        assert any("img-src" in text for text in refused)
        assert any("connect-src" in text or "default-src" in text for text in refused)


INJECTED = """<script>document.title = 'ran'</script>
<img src="data:image/png;base64,x" onerror="document.title = 'ran'">
<style>body { display: none }</style><p id="styled" style="color: red">a</p>
<a id="link" href="javascript:document.title = 'ran'">b</a>
<form id="form" action="http://127.0.0.1:9/"><input></form>"""


def test_what_is_put_into_the_page_does_not_run(folder: Path, tmp_path: Path) -> None:
    assert PROGRAM
    text = (folder / "index.html").read_text()
    (tmp_path / "changed.html").write_text(text.replace("</main>", f"{INJECTED}</main>"))
    with Page(PROGRAM) as page:
        page.open(tmp_path / "changed.html")
        page.run("document.getElementById('link').click()")
        page.run("document.getElementById('form').requestSubmit()")
        page.run("document.getElementById('link').setAttribute('onclick', 'document.title = 1')")
        page.run("document.getElementById('link').click()")
        assert page.run("document.title").startswith("Wheatstone report")
        refused = [text for text in page.complaints if "Content Security Policy" in text]
        for rule in ("script-src", "style-src", "form-action"):
            assert any(rule in text for text in refused), rule
        assert page.run("getComputedStyle(document.body).display") == "block"
        assert page.run("getComputedStyle(document.getElementById('styled')).color") != (
            "rgb(255, 0, 0)"
        )
        assert page.run("document.documentElement.className") == "live"  # its own script ran


def test_every_number_shown_is_the_documents(page: Page, folder: Path) -> None:
    shown = page.run(
        """[...document.querySelectorAll("td[data-at], text[data-at]")].map(
            e => [e.getAttribute("data-at"), e.textContent])"""
    )
    document = read(folder / NAME)
    assert len(shown) > 60
    for pointer, text in shown:
        value: Any = document
        for step in pointer.split("/")[1:]:
            value = value[int(step) if isinstance(value, list) else step]
        share = text.endswith("%")
        number = text.strip("~%")
        digits = len(number.partition(".")[2])
        assert abs(float(number) - value * (100 if share else 1)) <= 0.5001 * 10**-digits, pointer


def test_the_slider_is_moved_by_keys(page: Page) -> None:
    slider = "document.querySelector('.compare input')"
    seam = "document.querySelector('.pair').style.getPropertyValue('--seam')"
    page.run(f"{slider}.value = 50; {slider}.dispatchEvent(new Event('input'))")
    page.run(f"{slider}.focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert (page.run(f"{slider}.value"), page.run(seam)) == ("52", "52%")
    page.press("ArrowLeft")
    assert page.run(f"{slider}.getAttribute('aria-valuetext')") == "51 % left view"


def test_the_picture_is_dragged_from_one_to_the_other(page: Page) -> None:
    pair = "document.querySelector('.pair')"
    page.run(f"{pair}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
    box = page.run(f"JSON.stringify({pair}.getBoundingClientRect())")
    x, y, width, height = (json.loads(box)[name] for name in ("x", "y", "width", "height"))
    middle = y + height / 2
    page.drag((x + width / 2, middle), (x + width / 4, middle))
    assert page.run("document.querySelector('.compare input').value") == "25"
    clip = page.run("getComputedStyle(document.querySelector('.pair .after')).clipPath")
    assert clip == "inset(0px 0px 0px 25%)"
    page.drag((x + width / 2, middle), (x + 2 * width, middle))
    assert page.run("document.querySelector('.compare input').value") == "100"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(page: Page, scheme: str) -> None:
    page.look(scheme=scheme)
    paper = page.run("getComputedStyle(document.documentElement).backgroundColor")
    assert paper == {"light": "rgb(253, 253, 252)", "dark": "rgb(23, 23, 26)"}[scheme]
    output = page.run(CONTRASTS)
    assert len(output) > 100 and min(output) >= 4.5


def test_it_fits_a_telephone_and_can_be_read_there(page: Page) -> None:
    page.size(390, 844, mobile=True)
    assert page.run("document.documentElement.scrollWidth") == 390
    assert min(page.run(SIZES)) >= 11
    wide = "[...document.querySelectorAll('.scroll')].some(e => e.scrollWidth > e.clientWidth)"
    assert page.run(wide)
    over = """[...document.querySelectorAll('p, figure, img, svg, h2, details')].filter(
        e => e.getBoundingClientRect().right > 390).length"""
    assert page.run(over) == 0


def test_on_paper_both_pictures_and_all_command_lines_are_seen(page: Page, tmp_path: Path) -> None:
    page.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert page.run("[...document.querySelectorAll('details')].every(d => d.open)")
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    clip = page.run("getComputedStyle(document.querySelector('.pair .after')).clipPath")
    assert clip == "none"


def test_without_scripts_both_pictures_are_seen(folder: Path) -> None:
    assert PROGRAM
    with Page(PROGRAM) as page:
        page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.open(folder / "index.html")
        display = "getComputedStyle(document.querySelector('.pair')).display"
        assert page.run(display) == "grid"
        assert page.run("getComputedStyle(document.querySelector('.compare input')).display") == (
            "none"
        )


def test_every_drawing_keeps_its_text_inside(page: Page) -> None:
    outside = """[...document.querySelectorAll('svg text')].filter(e => {
        const own = e.getBoundingClientRect();
        const all = e.ownerSVGElement.getBoundingClientRect();
        return own.left < all.left - 1 || own.right > all.right + 1 || own.bottom > all.bottom + 1;
    }).map(e => e.textContent)"""
    assert page.run(outside) == []
