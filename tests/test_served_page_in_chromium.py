"""What a browser keeps of the token, and what it makes of names that hold markup."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

from tests.chromium import Page, find_chromium
from tests.patience import wait_until
from tests.served_page import Host, hosting

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="Chromium is missing (Debian: apt-get install chromium)"
)
CONNECTED = "document.getElementById('bar')?.dataset.state === 'connected'"
NAMES = (
    "<img src=x onerror=owned=1>.png",
    "<svg onload=owned=1>.png",
    "\"><b onclick='owned=1'>&lt;i&gt;.png",
    "${owned=1}`{{owned=1}}.png",
)
"""Names of files, each of which is markup or a script somewhere."""
ALIEN = """document.querySelectorAll(
    'img[src=x], svg[onload], b[onclick], i:not([class]), script:not([src])').length"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("root")) as host:
        yield host


@pytest.fixture(scope="module")
def page(host: Host) -> Iterator[Page]:
    assert PROGRAM
    with Page(PROGRAM) as page:
        page.visit(host.address)
        page.wait(CONNECTED)
        yield page


def is_harmless(page: Page) -> None:
    assert page.run("typeof owned") == "undefined"
    assert page.run(ALIEN) == 0
    refused = "Failed to load resource"  # an upload, of which the browser complains, too
    assert [text for text in page.complaints if refused not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_markup_in_the_name_of_a_written_file_is_shown_as_text(
    page: Page, host: Host, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(b"x")
    page.wait("document.getElementById('word').textContent === 'connected'")
    time.sleep(0.3)  # the page is told of its state, after which it announces files
    host.served.viewers.tell(host.served.offers.add(tmp_path / name).message)
    listed = "[...document.querySelectorAll('#files-list span')].map(e => e.textContent)"
    page.wait(f"{listed}.includes({json.dumps(name)})")
    page.wait(
        f"document.getElementById('notices').textContent.includes({json.dumps(name)})",
    )
    is_harmless(page)


@pytest.mark.parametrize("name", NAMES)
def test_markup_in_the_name_of_an_uploaded_file_is_shown_as_text(
    page: Page, host: Host, tmp_path: Path, name: str
) -> None:
    page.wait("document.getElementById('word').textContent === 'connected'")
    (tmp_path / name).write_bytes(b"x" * 100)
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    node = page.send("DOM.querySelector", nodeId=root, selector="#upload-input")["nodeId"]
    page.send("DOM.setFileInputFiles", nodeId=node, files=[str(tmp_path / name)])
    (drop,) = host.wait_for("drop")
    assert [Path(path).name for path in drop.paths] == [name]
    is_harmless(page)


def test_markup_in_the_name_of_a_refused_file_is_shown_as_text(
    page: Page, host: Host, tmp_path: Path
) -> None:
    (tmp_path / f".{NAMES[0]}").write_bytes(b"x")  # hidden files are refused
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    node = page.send("DOM.querySelector", nodeId=root, selector="#upload-input")["nodeId"]
    page.send("DOM.setFileInputFiles", nodeId=node, files=[str(tmp_path / f".{NAMES[0]}")])
    encoded = json.dumps(f".{NAMES[0]} was not taken")
    page.wait(f"document.getElementById('notices').textContent.includes({encoded})")
    is_harmless(page)


def test_markup_in_the_title_is_shown_as_text(page: Page, host: Host) -> None:
    host.served.title = lambda: NAMES[0]
    page.wait(f"document.title === {json.dumps(NAMES[0])}")
    is_harmless(page)


def test_the_token_is_in_no_address_of_the_page_and_in_no_referrer(
    page: Page, host: Host, tmp_path: Path
) -> None:
    token = host.served.access.token
    entries = page.send("Page.getNavigationHistory")["entries"]
    assert not any(token in entry["url"] for entry in entries)
    assert token not in page.run("location.href + document.referrer + document.cookie")
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}])"
    local, session = json.loads(page.run(stored))
    assert (local, list(session.values())) == ({}, [token])
    with hosting(tmp_path) as another:
        page.run(f"location.href = {json.dumps(another.address.partition('#')[0])}")
        page.wait("document.getElementById('problem-title')?.textContent.includes('lacks')")
        assert page.run("document.referrer") == ""
        page.run("history.back()")
        wait_until(lambda: page.run(CONNECTED))
        page.run("history.forward()")
        page.wait("document.getElementById('problem-title')?.textContent.includes('lacks')")
        assert token not in page.run("location.href")
    assert not any(token in referrer for referrer in page.referrers)
