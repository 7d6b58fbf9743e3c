"""The site of the documentation: built strictly, complete, and without other servers."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest

import wheatstone
from tests.chromium import Page, find_chromium

ROOT = Path(__file__).resolve().parent.parent
EXTRA = ("mkdocs", "material", "mkdocstrings")
LOADING = {"script", "img", "iframe", "source", "video", "audio", "embed", "object"}


class Parsed(HTMLParser):
    """What a page leads to, what it loads, and the places that links into it name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.places.add(known.get("id", ""))
        address = known.get("href") or known.get("src") or known.get("data")
        if address is None:
            return
        style = tag == "link" and known.get("rel") not in ("canonical", "next", "prev")
        (self.loaded if tag in LOADING or style else self.links).append(address)


parsed = cache(Parsed)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in EXTRA:
        pytest.importorskip(name, reason="comes with the extra docs")
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet")
    run = subprocess.run(
        [*command, "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return folder


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_of_the_checkout_is_a_page_of_the_site(pages: list[Path], site: Path) -> None:
    places = {path.relative_to(site).as_posix() for path in pages}
    docs = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    names = [path.relative_to(ROOT).as_posix() for path in docs]
    wanted = {re.sub("README$", "index", name.removesuffix(".md")) + ".html" for name in names}
    assert wanted <= places


def test_every_page_of_docs_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2]
    docs = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert [name for name in docs if f": {name}\n" not in navigation] == []


def test_every_link_leads_to_a_place_of_the_site(pages: list[Path], site: Path) -> None:
    lost = []
    for page in pages:
        base = site if page.name == "404.html" else page.parent
        for address in parsed(page).links + parsed(page).loaded:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            fragment = unquote(parts.fragment)
            anchored = target.suffix == ".html" and not fragment.startswith("__")
            if not target.is_file() or (anchored and fragment not in parsed(target).places):
                lost.append(f"{page.relative_to(site)}: {address}")
    assert not lost, "\n".join(lost)


def test_nothing_is_loaded_from_another_server(pages: list[Path], site: Path) -> None:
    foreign = [a for page in pages for a in parsed(page).loaded if re.match("(https?:)?//", a)]
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert foreign + re.findall(r"""(?:@import|url\()\s*["']?(?:https?:)?//[^)]+""", styles) == []


def test_every_public_name_has_its_description(site: Path) -> None:
    page = parsed(site / "docs" / "api.html")
    names = [name for name in wheatstone.__all__ if not name.startswith("_")]
    assert [name for name in names if f"wheatstone.{name}" not in page.places] == []


def test_the_gallery_shows_every_example(site: Path) -> None:
    text = (site / "examples" / "index.html").read_text()
    pictures = {path.name for path in (site / "examples").glob("*.png")}
    assert {"own_pairpy-0.png", "own_pairip-0.png", "opencv_drop_inpy-0.png"} <= pictures
    assert [name for name in pictures if name not in text] == []
    assert "of the pixels have a disparity" in text and "identical" in text


RESULT = 'a.md-search-result__link[href*="api.html"]'
SEARCHED = f"""(() => {{
  const input = document.querySelector(".md-search__input");
  if (document.readyState !== "complete" || !input) return false;
  input.focus();
  input.value = "StereoSGBM_create";
  input.dispatchEvent(new KeyboardEvent("keyup", {{bubbles: true}}));
  return !!document.querySelector(`{RESULT}`);
}})()"""
"""Types a word, again until the page's script listens; true once its result is shown."""


def follow(page: Page, selector: str) -> None:
    """Click a link once the command has been answered: no answer comes from a page that is left."""
    page.run(f"void setTimeout(() => document.querySelector(`{selector}`).click())")


@pytest.mark.skipif(find_chromium() is None, reason="Chromium is missing")
def test_a_reader_searches_and_follows_links(site: Path) -> None:
    with served(site) as address, Page(str(find_chromium())) as page:
        page.size(1280, 900)
        page.visit(f"{address}/index.html")
        follow(page, '.md-tabs a[href$="first-pair.html"]')
        page.wait("document.querySelector('h1')?.textContent.includes('Your first pair')")
        page.wait(SEARCHED)
        follow(page, RESULT)
        page.wait("document.querySelector('h1')?.textContent.startsWith('Python')")
        page.wait("[...document.images].every(one => one.complete && one.naturalWidth > 0)")
        known = (address, "data:", "blob:")
        assert [one for one in page.requests if not one.startswith(known)] == []
        assert page.complaints == []
