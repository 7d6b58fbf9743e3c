"""Hostile figures: plans in SVG, PDF and PNG, damaged or made to do harm."""

import io
import json
from html import escape
from pathlib import Path
from random import Random

from PIL import Image, PngImagePlugin

from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated, mutated_text
from tests.fuzz.tampering import tampered
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.figures.cells import FigureContent, of_presets
from wheatstone.viewer.figures.files import (
    ENDINGS,
    KEYWORD,
    PDF_BEGIN,
    SVG_BEGIN,
    SVG_END,
    read_plan,
)
from wheatstone.viewer.figures.plan import FigurePlan, FigureRow, FigureStyle, to_text
from wheatstone.viewer.figures.templates import TEMPLATES, laid_out
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.trust import foreign_files

ABSENT = {"cpu": "", "cuda": "no GPU"}
NAMES = ("left.png", "/dev/zero", "/etc/passwd", "../x.png", "rtsp://host/a", ".", "\x1b[2J")


def _plan(random: Random) -> str:
    """Write down a figure of what a stranger chose."""
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    template = TEMPLATES[random.choice(("two-presets", "error-anatomy"))]
    presets = random.sample(("balanced", "fast", "libsgm"), 2)
    cells, columns = laid_out(template, FigureContent(state, of_presets(state, presets)))
    source = {"left": random.choice(NAMES), "right": random.choice(NAMES)}
    row = FigureRow(random.choice(NAMES), source, cells, "0" * 64)
    insets = ((0, 0, random.choice((1, 2**40)), 5),) if random.random() < 0.1 else ()
    try:
        return to_text(FigurePlan((row,), columns, FigureStyle(), insets))
    except ValueError:
        return to_text(FigurePlan((row,), columns))


def _text(random: Random) -> str:
    plan = _plan(random)
    if random.random() < 0.4:
        plan = json.dumps(tampered(random, json.loads(plan)))
    if random.random() < 0.4:
        plan = mutated_text(random, plan).decode("latin-1")
    return plan


def _encoded(text: str, ending: str) -> bytes:
    """Put a plan into a file as this program does."""
    if ending == ".svg":
        held = escape(text, quote=False)
        return f"<svg><metadata>{SVG_BEGIN}{held}{SVG_END}</metadata></svg>".encode()
    if ending == ".pdf":
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        return b"%PDF-1.4\n" + PDF_BEGIN + escaped.encode() + b")\n%%EOF"
    words, file = PngImagePlugin.PngInfo(), io.BytesIO()
    words.add_itxt(KEYWORD, text.replace("\0", ""), zip=bool(len(text) % 2))
    Image.new("L", (2, 2)).save(file, "PNG", pnginfo=words)
    return file.getvalue()


def _make(random: Random, folder: Path) -> None:
    ending = random.choice(ENDINGS)
    content = _encoded(_text(random), ending)
    if random.random() < 0.3:
        content = mutated(random, content)
    other = random.choice(ENDINGS) if random.random() < 0.1 else ending
    (folder / f"figure{other}").write_bytes(content)


def _read(folder: Path) -> None:
    """Read the plan, as ``figure`` does before it draws: what lies elsewhere is not opened."""
    (path,) = folder.iterdir()
    plan = read_plan(path)
    for row in plan.rows if plan else ():
        named = [str(row.source.get(word, "")) for word in ("left", "right")]
        outside = [name for name in named if name.startswith(("/", "..", "rtsp"))]
        assert set(outside) <= set(foreign_files(path, SourceSpec.from_dict(row.source), row.seal))


KINDS = [FuzzKind("figure", _make, _read)]
