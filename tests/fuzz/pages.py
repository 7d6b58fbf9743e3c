"""What must hold of pages, whatever they were made of: nothing in them runs, or leads elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

SCRIPTS = ("script", "iframe", "object", "embed", "base", "link", "form", "foreignObject")


class PageTags(HTMLParser):
    """A reader of HTML that notes what could run or lead elsewhere.

    Attributes:
        harm: the tags and attributes that could.
        scripts: how many elements of script and style there are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.harm: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.scripts += tag in ("script", "style")
        if tag in SCRIPTS and (tag != "script" or attrs):
            self.harm.append(tag)
        for name, value in attrs:
            inside = (value or "").startswith(("#", "data:image/png"))
            leads = name in ("href", "src", "action", "srcset") and not inside
            if leads or name.startswith("on") or name in ("style", "srcdoc"):
                self.harm.append(f"{tag} {name}={value}")


def check_pages(folder: Path) -> None:
    """Raise ``AssertionError`` if the pages of a report could run or load what a report says."""
    if (folder / "index.html").is_file():
        page, tags = (folder / "index.html").read_text(encoding="utf-8"), PageTags()
        tags.feed(page)
        assert tags.harm == [], tags.harm[:3]
        assert tags.scripts == 2, f"{tags.scripts} scripts and styles"
        assert "\x00" not in page and "\x1b" not in page
    if (folder / "report.md").is_file():
        check_markdown((folder / "report.md").read_text(encoding="utf-8"))
    for path in (folder / "plots").glob("*.svg"):
        if path.is_file() and not path.is_symlink():
            check_drawing(path)


def check_markdown(text: str) -> None:
    """Raise ``AssertionError`` if a Markdown page has tags, or links to other places."""
    plain = re.sub(r"(?<![\\`])`[^`\n]+`", "", re.sub("</?code>", "", text))
    assert not re.search(r"<|(?<!\\)`", plain), re.findall(r".{20}(?:<|(?<!\\)`).{20}", plain)[:2]
    for target in re.findall(r"(?<!\\)\]\(([^)]*)\)", plain):
        assert re.fullmatch(r"(?:pictures|plots)/[a-z0-9-]+\.(?:png|svg)", target), target
    assert "<script" not in text and "\x1b" not in text


def check_drawing(path: Path) -> None:
    """Raise ``AssertionError`` if a drawing is no XML, or could run or load anything."""
    assert re.fullmatch(r"[a-z0-9-]+\.svg", path.name), path.name
    for element in ElementTree.parse(path).iter():
        name = element.tag.rpartition("}")[2]
        assert name in ("svg", "style", "rect", "path", "text", "g", "title"), name
        assert not [key for key in element.attrib if key.startswith("on") or "href" in key]
