"""Hooks of MkDocs that add to the site: pages of the checkout, the API, a gallery and sources."""

import ast
import json
import os
import re
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
from matplotlib import pyplot
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import wheatstone

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(?=[)#])")
"""Pattern of the address of a link to a file of the checkout."""
PICTURES = (".png", ".svg")
GALLERY = "examples/README.md"
MOST_PICTURES = 2
"""Largest number of shown images that an example writes; batch_folder writes one for each pair."""
FENCE = "``````"
"""Fence of a code block, which is longer than those within pages."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the pages of ``docs`` by all pages of the checkout, and add generated pages."""
    docs = Path(config.docs_dir)
    ours = Files([file for file in files if Path(file.src_dir or docs) != docs])
    pages = [path for name in (".", "docs", "assets") for path in _pages(ROOT / name, name != ".")]
    kept = [path for path in docs.rglob("*") if path.suffix in PICTURES]
    for path in [*pages, *kept, ROOT / "assets" / "icon" / "wheatstone.svg"]:
        place = path.relative_to(ROOT).as_posix()
        ours.append(File(place, str(ROOT), config.site_dir, False))
    for place, content in [("docs/api.md", api_page()), *gallery()]:
        ours.append(File.generated(config, place, content=content))
    for place in sorted({target for page in pages for target in _linked(page)}):
        if ours.get_file_from_path(place) is None and place != os.path.dirname(GALLERY):
            ours.append(File.generated(config, _source_page(place), content=source(ROOT / place)))
    return ours


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Replace links to sources and folders of the checkout by links to their generated pages."""
    folder = os.path.dirname(page.file.src_uri)

    def replaced(match: re.Match[str]) -> str:
        place = os.path.normpath(os.path.join(folder, match[1]))
        for target in (f"{place}/README.md", _source_page(place)):
            if files.get_file_from_path(place) is None and files.get_file_from_path(target):
                return os.path.relpath(target, folder or ".")
        return match[1]

    return LINK.sub(replaced, markdown)


def api_page() -> str:
    """Return the page of the Python API, which is generated from docstrings."""
    names = [name for name in wheatstone.__all__ if not name.startswith("_")]
    return "\n\n".join(
        [
            "# Python",
            "The names of `import wheatstone as ws`; [the guide](python.md) shows their use.",
            *(f"::: wheatstone.{name}" for name in names),
        ]
    )


def gallery() -> Iterator[tuple[str, str | bytes]]:
    """Run every example; yield places and contents of the gallery page and its pictures."""
    pyplot.switch_backend("agg")
    parts = [
        "# Gallery",
        "Programs and notebooks of the folder `examples`. Programs take files; without files they"
        " use a built-in scene, as here. All outputs are from the run that built this site.",
    ]
    for path in sorted((ROOT / "examples").iterdir()):
        if path.suffix not in (".py", ".ipynb"):
            continue
        with TemporaryDirectory() as folder, chdir(folder):
            title, *rest = _program(path) if path.suffix == ".py" else _notebook(path)
            parts.append(title)
            for number, picture in enumerate(_pictures(Path(folder))):
                name = f"{path.stem}{path.suffix[1:3]}-{number}.png"
                parts.append(f"![Result {number + 1} of {path.name}]({name})")
                yield f"examples/{name}", picture
            parts += rest
    yield GALLERY, "\n\n".join(parts)


def source(path: Path) -> str:
    """Return the page of a source file, or of all files of a folder."""
    files = [path] if path.is_file() else sorted(one for one in path.iterdir() if one.is_file())
    parts = [f"# {path.relative_to(ROOT)}"]
    for file in files:
        kind = {".py": "python", ".yaml": "yaml", ".cu": "cuda"}.get(file.suffix, "text")
        parts.append(f"{FENCE}{kind}\n{file.read_text()}{FENCE}")
    return "\n\n".join(parts)


def _pages(folder: Path, deep: bool) -> list[Path]:
    return sorted(folder.rglob("*.md") if deep else folder.glob("*.md"))


def _linked(page: Path) -> Iterator[str]:
    """Yield the places of files and folders to which a page links, except other pages."""
    prose = re.sub(r"^(```.*?^```| {4}.*?)$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for address in LINK.findall(prose):
        path = (page.parent / address).resolve()
        if path.exists() and path.suffix not in (".md", *PICTURES):
            yield path.relative_to(ROOT).as_posix()


def _source_page(place: str) -> str:
    return f"source/{place}.md"


def _program(path: Path) -> list[str]:
    """Run an example program; return the parts of its page: title, code and output."""
    text, printed, words = path.read_text(), StringIO(), sys.argv
    title, _, rest = (ast.get_docstring(ast.parse(text)) or path.stem).partition("\n\n")
    sys.argv = [path.name]
    try:
        with redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv = words
    code = text.partition('"""\n\n')[2]
    return [
        f"## {title.partition(':')[0]}\n\n{title}\n\n{rest}",
        f"{FENCE}python\n{code}{FENCE}\n\n{FENCE}text\n{printed.getvalue()}{FENCE}",
    ]


def _notebook(path: Path) -> list[str]:
    """Run the cells of a notebook, except those that open a window; return parts of a page."""
    parts, names = [], {"__name__": "__main__"}
    for cell in json.loads(path.read_text())["cells"]:
        text, printed = "".join(cell["source"]), StringIO()
        if cell["cell_type"] == "markdown":
            parts.append(re.sub("^#", "##", text))
            continue
        parts.append(f"{FENCE}python\n{text}\n{FENCE}")
        if not re.search(r"\bwindow\b", text):
            with redirect_stdout(printed):
                exec(text, names)
            parts.append(f"{FENCE}text\n{printed.getvalue()}{FENCE}" if printed.getvalue() else "")
    return parts


def _pictures(folder: Path) -> Iterator[bytes]:
    """Yield PNGs of Matplotlib's open figures, and of the first images in a folder."""
    for number in pyplot.get_fignums():
        yield _png(pyplot.figure(number).savefig)
        pyplot.close(number)
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".pfm", ".png"))
    for path in paths[:MOST_PICTURES]:
        image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        yield _png(partial(pyplot.imsave, arr=image, cmap="turbo", format="png"))


def _png(write: Callable[[BytesIO], object]) -> bytes:
    png = BytesIO()
    write(png)
    return png.getvalue()
