"""The served window's page as a browser shows it: pictures, keys, fingers, viewers, bad links."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

from tests.chromium import Page, find_chromium
from tests.patience import PATIENCE
from tests.served_page import EXACT, WORD, Host, hosting, painted, shown, until_shown
from tests.serving import serving
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.keys.actions import actions
from wheatstone.viewer.window.serving.h264 import why_no_h264
from wheatstone.viewer.window.serving.viewer import Resized, Viewer
from wheatstone.viewer.window.serving.viewers import MOST_VIEWERS

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="Chromium is missing (Debian: apt-get install chromium)"
)
BAR = 28  # CSS pixels, beside a mouse
TITLE = "document.getElementById('problem-title').textContent"
CONNECTED = "document.getElementById('bar')?.dataset.state === 'connected'"
ARROWS = {name: (f"Arrow{name}", f"Arrow{name}") for name in ("Left", "Right", "Up", "Down")}
KEYS = {"Space": (" ", "Space"), "Esc": ("Escape", "Escape"), "Minus": ("-", "Minus"), **ARROWS}
PLACES = {"[": "BracketLeft", "]": "BracketRight", ",": "Comma", ".": "Period"}
SHIFTED = dict(zip("123456789[],.", "!@#$%^&*({}<>", strict=True))
PAGES_OWN = {"F11", "Ctrl+V"}  # what is pasted follows as a text
"""Keys that the page itself takes: it fills the screen."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    assert PROGRAM
    with Page(PROGRAM) as page:
        yield page


@pytest.fixture(scope="module")
def other() -> Iterator[Page]:
    assert PROGRAM
    with Page(PROGRAM) as page:
        page.size(500, 400)
        yield page


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("root")) as host:
        yield host


@pytest.fixture
def page(browser: Page, host: Host) -> Page:
    browser.look()
    browser.size(640, 480)
    if browser.run("location.protocol") != "http:" or not browser.run(CONNECTED):
        browser.visit(host.address)
    browser.wait(f"{WORD} === 'connected'")
    host.take()
    host.done.clear()
    return browser


def fill(page: Page, host: Host) -> None:
    host.sizes.clear()
    page.run("dispatchEvent(new Event('focus'))")
    host.wait_for("focus")
    size = page.run("JSON.stringify(document.getElementById('stage').getBoundingClientRect())")
    density = page.run("devicePixelRatio")
    width, height = (round(json.loads(size)[name] * density) for name in ("width", "height"))
    host.show(picture := painted(1, width, height))
    until_shown(page, picture)
    host.done.clear()


def until(happened: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def strike(page: Page, name: str) -> None:
    *held, base = name.split("+")
    if base == "Plus":
        page.press("+", "Equal", held=[*held, "Shift"])
    elif base in KEYS:
        page.press(*KEYS[base], held=held)
    elif base in PLACES or base.isdigit():
        code = PLACES.get(base, f"Digit{base}")
        page.press(SHIFTED[base] if "Shift" in held else base, code, held=held)
    elif len(base) == 1:
        page.press(base if "Shift" in held else base.lower(), f"Key{base}", held=held)
    else:
        page.press(base, held=held)


def test_nothing_is_complained_of_and_the_token_stays_in_the_page(
    browser: Page, host: Host
) -> None:
    page = browser
    page.visit(host.address)
    host.show(painted(0))
    page.wait(EXACT)
    assert page.complaints == []
    assert page.run("location.href") == host.address.partition("#")[0]
    paths = {address.removeprefix(host.address.partition("#")[0]) for address in page.requests}
    assert {"", "page.js", "page.css", "session"} <= paths
    assert not any(host.served.access.token in path.partition("#")[0] for path in paths)
    assert page.run("document.title") == "orbit - Wheatstone"
    page.send("Page.reload")
    page.wait(f"{CONNECTED} && performance.getEntriesByType('navigation')[0].type === 'reload'")


def test_the_exact_still_has_every_pixel(page: Page, host: Host) -> None:
    for seed, (width, height) in enumerate([(97, 63), (640, 452), (101, 301)]):
        host.show(picture := painted(seed, width, height))
        until_shown(page, picture)
        page.wait(EXACT)
    fitted = page.run("document.getElementById('picture').getBoundingClientRect().height")
    assert fitted == pytest.approx(480 - BAR, abs=0.01)


def test_pixels_of_another_density_are_counted_again(
    page: Page, host: Host, tmp_path: Path
) -> None:
    page.size(640, 480, density=2)

    def counted() -> bool:
        page.picture(tmp_path / "page.png", whole=False)
        host.take()
        return bool(host.sizes) and host.sizes[-1] == Resized(1280, 2 * (480 - BAR), 2.0)

    until(counted)


def test_every_key_of_the_table_arrives_by_its_name(page: Page, host: Host) -> None:
    table = [
        key
        for pipeline in PIPELINES.values()
        for action in actions(pipeline)
        for key in action.keys
    ]
    names = [name for name in dict.fromkeys(table) if name not in PAGES_OWN]
    assert len(names) > 130
    for name in names:
        strike(page, name)
    assert [event.key for event in host.wait_for("key", count=len(names))] == names


def test_what_is_typed_arrives_however_it_was_typed(page: Page, host: Host) -> None:
    for key in ("v", "ß", "€"):
        page.press(key, "KeyV")
    page.send("Input.imeSetComposition", text="に", selectionStart=1, selectionEnd=1)
    page.send("Input.insertText", text="日本")
    page.send("Input.insertText", text="b")  # as phones type, whose keys have no names
    typed = [event.text for event in host.wait_for("text", count=6)]
    assert typed == ["v", "ß", "€", "日", "本", "b"]
    page.run(
        """(() => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "left\\u{1f600}.png");
            document.activeElement.dispatchEvent(
                new ClipboardEvent("paste", {clipboardData, bubbles: true}));
        })()"""
    )
    pasted = host.wait_for("text", count=9)
    assert "".join(event.text for event in pasted) == "left\U0001f600.png"


def test_keys_of_a_phones_keyboard_are_keys(page: Page, host: Host) -> None:
    page.send("Input.insertText", text="vV")
    assert [event.key for event in host.wait_for("key", count=2)] == ["V", "Shift+V"]


def test_keys_that_the_browser_keeps_are_in_a_menu(page: Page, host: Host) -> None:
    page.run("document.querySelector('[popovertarget=keys-menu]').click()")
    caps = (
        "[...document.querySelectorAll('.caps button')].find(e => e.textContent === '{}').click()"
    )
    for label in ("Ctrl+T", "Ctrl+Shift+Tab", "Ctrl", "F4", "Menus"):
        page.run(caps.format(label))
    named = [event.key for event in host.wait_for("key", count=4)]
    assert named == ["Ctrl+T", "Ctrl+Shift+Tab", "Ctrl+F4", "Alt"]
    page.press("Escape")  # closes the menu, and is the page's own
    page.press("Escape")
    assert [event.key for event in host.wait_for("key")] == ["Esc"]
    page.run("new Promise((done) => setTimeout(done, 100))")  # until the menu has gone for good
    page.press("m", "KeyM", held=("Ctrl", "Alt"))
    assert page.run("document.activeElement.id") == "state"
    page.press("Escape")
    assert page.run("document.activeElement.id") == "typing"


def test_the_mouse_is_where_the_picture_says(page: Page, host: Host) -> None:
    fill(page, host)
    page.click((100, 100), "right", "Shift")
    page.drag((100, 100), (150, 131))
    page.wheel((200, 228), 200)
    events = host.wait_for("press", "release", "scroll", count=5)
    right = Event("press", x=100, y=100 - BAR, button=1, shift=True)
    assert events == [
        right,
        replace(right, kind="release"),
        Event("press", x=100, y=100 - BAR),
        Event("release", x=150, y=131 - BAR),
        Event("scroll", x=200, y=200, dy=-2),
    ]


def test_fingers_tap_drag_pinch_and_move(page: Page, host: Host) -> None:
    page.size(390, 844, mobile=True, density=2, touch=True)
    fill(page, host)
    top = page.run("document.getElementById('stage').getBoundingClientRect().top")
    page.touch([(100, 200)])
    tap = host.wait_for("press", "release", count=2)
    assert tap == [Event(kind, x=200, y=2 * (200 - top)) for kind in ("press", "release")]
    page.touch([(100, 200)], [(120, 200)], [(160, 230)])
    press, release = host.wait_for("press", "release", count=2)
    assert (press.x, release.x, release.y) == (200, 320, 2 * (230 - top))
    page.touch([(100, 300), (200, 300)], [(80, 300), (220, 300)], [(50, 320), (250, 320)])
    events = host.wait_for("press", "scroll", "release", count=6)
    assert [e.button for e in events if e.kind != "scroll"] == [2, 2]
    notches = sum(event.dy for event in events if event.kind == "scroll")
    assert 1.2**notches == pytest.approx(2.0, rel=0.02)  # the fingers went twice as far apart
    assert events[-1].y == 2 * (320 - top)
    page.touch(*([(100 + 50 * n, y) for n in range(3)] for y in (300, 340, 390)))
    turned = 0.0
    while turned < 2.75:  # of 90 pixels, 30 a notch
        turned += sum(event.dy for event in host.wait_for("scroll"))


def test_a_finger_that_rests_is_a_right_click(page: Page, host: Host) -> None:
    page.size(390, 844, mobile=True, density=2, touch=True)
    fill(page, host)
    point = [{"x": 100, "y": 200}]
    page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=point)
    events = host.wait_for("press", "release", count=2)
    page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    assert [(event.kind, event.button, event.x) for event in events] == [
        ("press", 1, 200.0),
        ("release", 1, 200.0),
    ]


def test_the_second_viewer_watches_until_it_takes_control(
    page: Page, other: Page, host: Host
) -> None:
    other.visit(host.address)
    other.wait(f"{WORD} === 'watching'")
    until_shown(other, shown(page))
    host.take()
    host.done.clear()
    other.press("v", "KeyV")
    page.press("m", "KeyM")
    assert [event.key for event in host.wait_for("key")] == ["M"]
    other.run("document.getElementById('control').click()")
    other.wait(f"{WORD} === 'connected'")
    page.wait(f"{WORD} === 'watching'")
    host.take()
    assert host.sizes[-1].width == 500
    page.press("m", "KeyM")
    other.press("v", "KeyV")
    assert [event.key for event in host.wait_for("key")] == ["V"]
    other.visit("about:blank")
    page.wait(f"{WORD} === 'connected'")


CHOOSE = """{
  const codec = document.getElementById("codec");
  codec.value = "CODEC";
  codec.dispatchEvent(new Event("change"));
}"""


def test_video_shows_what_pictures_show(page: Page, host: Host) -> None:
    if reason := why_no_h264():
        pytest.skip(reason)
    page.run(CHOOSE.replace("CODEC", "h264"))
    picture = np.full((99, 161, 3), 60, np.uint8)
    ends = time.monotonic() + PATIENCE
    while "h264" not in page.run("document.getElementById('more').textContent"):
        picture[:, :, 1] += 1
        host.show(picture.copy())
        time.sleep(0.05)
        assert time.monotonic() < ends
    assert np.abs(shown(page).astype(int) - picture).max() < 12
    page.run(CHOOSE.replace("CODEC", "auto"))
    until_shown(page, picture)


def test_a_browser_that_decodes_no_video_gets_pictures(other: Page, host: Host) -> None:
    if reason := why_no_h264():
        pytest.skip(reason)
    other.visit(host.address)
    other.wait(CONNECTED)
    other.run("delete globalThis.VideoDecoder")
    viewers = host.served.viewers
    (viewer,) = list(viewers.by_name.values())[-1:]
    viewers.change(lambda: setattr(viewer, "codec", "h264"))
    host.show(picture := painted(4))
    until_shown(other, picture)
    until(lambda: viewer.codec == "jpeg")
    other.visit("about:blank")


COUNTING = """{
  const decode = createImageBitmap;
  window.count = 0;
  window.createImageBitmap = async (...given) => {
    count += 1;
    await new Promise((resolve) => setTimeout(resolve, DELAY));
    return decode(...given);
  };
}"""


def test_a_slow_viewer_gets_fewer_pictures_and_holds_up_nobody(
    page: Page, other: Page, host: Host
) -> None:
    other.visit(host.address)
    other.wait(EXACT)
    page.run(COUNTING.replace("DELAY", "0"))
    other.run(COUNTING.replace("DELAY", "400"))
    for seed in range(16):
        host.show(newest := painted(100 + seed))
        time.sleep(0.04)
    until_shown(page, newest)
    counts = page.run("count"), other.run("count")
    until_shown(other, newest)
    other.visit("about:blank")
    assert counts[0] > 2 * counts[1]


def test_a_lost_connection_comes_back_by_itself(page: Page, host: Host) -> None:
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.send("Network.emulateNetworkConditions", offline=True, **conditions)
    page.wait(f"{TITLE}.length > 0 && {WORD} === 'not connected'")
    page.send("Network.emulateNetworkConditions", offline=False, **conditions)
    page.wait(CONNECTED)
    host.show(picture := painted(5))
    until_shown(page, picture)


def test_a_silent_connection_that_ends_late_leaves_the_next_one_alone(
    page: Page, host: Host
) -> None:
    page.run("""(() => {
      const {now} = performance, {fetch} = window, {close} = WebSocket.prototype;
      performance.now = () => now.call(performance) * 1000;
      window.fetch = () => Promise.reject(new Error("planted"));
      WebSocket.prototype.close = function () {
        window.fetch = fetch;
        setTimeout(() => { close.call(this); window.ended = true; }, 2000);
      };
      window.mend = () => {
        delete performance.now;
        WebSocket.prototype.close = close;
      };
    })()""")
    page.wait(f"{WORD} === 'not connected'")
    page.wait(f"{CONNECTED} && window.ended")
    page.run("mend()")
    for seed in range(5, 8):
        host.show(picture := painted(seed))
        until_shown(page, picture)


def test_the_page_shows_that_the_program_ended(page: Page, host: Host) -> None:
    host.server.close()
    page.wait(f"{TITLE} === 'The program has ended'")
    host.restart()
    page.run("document.getElementById('problem-button').click()")
    page.wait(CONNECTED)


def test_bad_links_explain_themselves(page: Page, host: Host) -> None:
    bare, _, token = host.address.partition("#")
    page.run("sessionStorage.clear()")
    page.visit("about:blank")
    page.visit(bare)
    page.wait(f"{TITLE} === 'This address lacks its token'")
    page.run("location.hash = 'wrong'")
    page.wait(f"""{TITLE} === "The token is not the program's" """)
    page.run(f"location.hash = '{token}'")
    page.wait(CONNECTED)
    assert page.run("location.hash") == ""


def ignored(what: object) -> None:
    """Send nothing."""


def test_the_page_shows_that_there_is_no_place_left(browser: Page, host: Host) -> None:
    browser.visit("about:blank")
    many = [Viewer(str(number), ignored) for number in range(MOST_VIEWERS)]
    viewers = host.served.viewers
    until(lambda: all([viewers.join(viewer) for viewer in many]))  # the page before has left
    browser.visit(host.address)
    browser.wait(f"{TITLE} === 'As many look on as the program allows'")
    for viewer in many:
        viewers.leave(viewer)
    browser.run("document.getElementById('problem-button').click()")
    browser.wait(CONNECTED)


def test_the_page_has_the_theme_of_the_program_whatever_the_browser_prefers(
    page: Page, host: Host
) -> None:
    paper = "getComputedStyle(document.getElementById('bar')).backgroundColor"
    before = host.served.theme
    for theme, other, color in (
        ("light", "dark", "rgb(253, 253, 252)"),
        ("dark", "light", "rgb(23, 23, 26)"),
    ):
        page.look(scheme=other)
        host.served.theme = partial(str, theme)
        page.wait(f"{paper} === '{color}'")
    host.served.theme = before


def test_a_foreign_page_gets_nothing(browser: Page, host: Host) -> None:
    browser.visit("about:blank")
    bare, _, token = host.address.partition("#")
    socket = f"new WebSocket('{bare.replace('http', 'ws')}ws', ['wheatstone', '{token}'])"
    output = browser.run(f"new Promise(done => {{ {socket}.onclose = e => done(e.code) }})")
    assert output == 1006
    headers = json.dumps({"headers": {"Authorization": f"Bearer {token}"}})
    asked = f"fetch('{bare}session', {headers}).then(() => 'read', () => 'refused')"
    assert browser.run(asked) == "refused"
    framed = f"""new Promise((done) => {{
        const frame = document.createElement("iframe");
        [frame.src, frame.onload] = ["{host.address}", () => setTimeout(() => done("loaded"), 700)];
        document.body.append(frame);
    }})"""
    assert browser.run(framed) == "loaded"  # something: an error's page
    assert not host.served.viewers.by_name


def test_a_page_that_is_not_seen_gets_no_pictures(page: Page, host: Host) -> None:
    change = """Object.defineProperty(document, "hidden", {value: HIDDEN, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"))"""
    host.show(before := painted(8))
    until_shown(page, before)
    page.run(change.replace("HIDDEN", "true"))
    while host.served.viewers.looks:
        time.sleep(0.01)
    host.show(picture := painted(9))
    time.sleep(0.4)
    assert (shown(page) == before).all()
    page.run(change.replace("HIDDEN", "false"))
    until_shown(page, picture)


def test_files_are_sent_and_fetched(page: Page, host: Host, tmp_path: Path) -> None:
    sent = [tmp_path / name for name in ("left.png", "right.png")]
    for number, path in enumerate(sent):
        path.write_bytes(bytes([number]) * 100_000)
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    node = page.send("DOM.querySelector", nodeId=root, selector="#upload-input")["nodeId"]
    page.send("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in sent])
    (drop,) = host.wait_for("drop")
    assert [Path(path).name for path in drop.paths] == ["left.png", "right.png"]
    assert [Path(path).read_bytes() for path in drop.paths] == [p.read_bytes() for p in sent]
    kept = tmp_path / "kept"
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(kept))
    (tmp_path / "orbit.ply").write_bytes(b"ply\n")
    host.served.viewers.tell(host.served.offers.add(tmp_path / "orbit.ply").message)
    page.wait("document.querySelector('#files-list button') !== null")
    page.run("document.querySelector('#files-list button').click()")
    until(lambda: (kept / "orbit.ply").exists() and (kept / "orbit.ply").read_bytes() == b"ply\n")


def test_a_page_that_may_only_read_sends_no_files(page: Page, host: Host) -> None:
    refuses = "document.getElementById('upload-button').disabled"
    assert not page.run(refuses)
    host.served.read_only = True
    page.wait(refuses)
    page.run("dispatchEvent(new DragEvent('drop', {dataTransfer: new DataTransfer()}))")
    assert "read-only" in page.run("document.getElementById('notices').textContent")
    host.served.read_only = False
    page.wait(f"!{refuses}")


def test_a_folder_that_is_dropped_is_refused_as_no_file(
    page: Page, host: Host, tmp_path: Path
) -> None:
    dropped = {"items": [], "files": [str(tmp_path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.send("Input.dispatchDragEvent", type=kind, x=300, y=300, data=dropped)
    page.wait(f"document.getElementById('notices').textContent.includes('{tmp_path.name} is a')")


def test_a_text_that_the_program_copies_is_in_the_clipboard(page: Page, host: Host) -> None:
    page.send(
        "Browser.grantPermissions",
        permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
        origin=host.address.partition("/#")[0],
    )
    page.send("Emulation.setFocusEmulationEnabled", enabled=True)
    host.served.viewers.tell({"type": "clipboard", "text": "wheatstone view sgm"}, controller=True)
    page.wait("document.getElementById('notices').textContent.includes('clipboard')")
    assert page.run("navigator.clipboard.readText()") == "wheatstone view sgm"
    page.send("Emulation.setFocusEmulationEnabled", enabled=False)


def test_the_page_fits_a_telephone(page: Page, host: Host) -> None:
    page.size(390, 844, mobile=True, density=2, touch=True)

    def is_touched() -> bool:
        host.take()
        return bool(host.sizes) and host.sizes[-1].touch

    until(is_touched)
    fill(page, host)
    assert page.run("[document.documentElement.scrollWidth, scrollX, scrollY]") == [390, 0, 0]
    small = """[...document.querySelectorAll('#bar button')].filter(e => e.checkVisibility())
        .map(e => e.getBoundingClientRect()).filter(b => b.height < 40 || b.right > 390).length"""
    assert page.run(small) == 0
    for menu in ("about", "files-menu", "keys-menu"):
        page.run(f"document.getElementById('{menu}').showPopover()")
        box = page.run(f"JSON.stringify(document.getElementById('{menu}').getBoundingClientRect())")
        edges = json.loads(box)
        assert edges["left"] >= 0 and edges["right"] <= 390 and edges["bottom"] <= 844
        page.run(f"document.getElementById('{menu}').hidePopover()")
    keyboard = "document.getElementById('keyboard-button')"
    page.run(f"{keyboard}.click()")
    assert page.run("document.activeElement.inputMode") == "text"
    page.run("document.getElementById('hide-button').click()")
    assert page.run("document.getElementById('stage').getBoundingClientRect().height") == 844
    page.run("document.getElementById('show-button').click()")


@pytest.mark.opengl
def test_the_program_is_seen_to_the_pixel_and_worked(
    offscreen: OffscreenContext, browser: Page, tmp_path: Path
) -> None:
    words = ("invert", "--variant", "reference", "--scene-size", "64x48", "--fresh")
    with serving(*words, root=tmp_path) as program:
        state = program.app.state

        async def work(_: object) -> NDArray[np.uint8]:
            """Look at the program, zoom, drag and change the view; return what is seen at last."""
            browser.size(640, 480)
            browser.visit(program.served.access.address)
            browser.wait(EXACT)
            browser.wheel((320, 300), -200)
            until(lambda: state.zoom == pytest.approx(1.2**2))
            center = state.center
            browser.drag((320, 300), (350, 300))
            until(lambda: state.center[0] < center[0])
            browser.press("v", "KeyV")
            until(lambda: state.view.name != view)
            browser.press("S", "KeyS", held=("Ctrl",))
            browser.wait("document.querySelectorAll('#files-list button').length > 0")
            browser.wait("document.getElementById('numbers').textContent.includes(' ms')")
            until(lambda: program.served.viewers.rests)
            time.sleep(0.5)  # more than the pause before the exact still
            browser.wait(f"{EXACT} && document.querySelector('.exact') !== null")
            return shown(browser)

        view = state.view.name
        seen = program.run(work)
        assert np.array_equal(seen, program.window.read())
