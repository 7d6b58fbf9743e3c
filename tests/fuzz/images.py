"""Hostile pictures: as images, as screenshots with a recipe, and through a whole command line."""

import io
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
from PIL import Image, features

from tests.containers import heic, jps, mpo, views
from tests.fuzz.kinds import FuzzKind
from tests.fuzz.mutating import mutated_text
from tests.fuzz.pictures import MODES, RECIPE, bomb, chunk, chunks, damaged, joined, saved

SUFFIXES = (".png", ".pgm", ".ppm", ".jpg", ".tiff", ".pbm", ".PNG", ".tif", ".jpeg")
WEIGHTS = {"PNG": 8, "PPM": 5, "JPEG": 4, "TIFF": 8, "GIF": 1, "BMP": 1, "WEBP": 1}
USUAL = {"PNG": ".png", "PPM": ".ppm", "JPEG": ".jpg", "TIFF": ".tiff"}


def make_image(random: Random, folder: Path) -> None:
    """Write a damaged picture, sometimes under another format's name, or something else."""
    if random.random() < 0.04:
        _no_picture(random, folder / f"a{random.choice(SUFFIXES)}")
        return
    kind = random.choices(list(MODES), [WEIGHTS[kind] for kind in MODES])[0]
    suffix = USUAL.get(kind, ".png") if random.random() < 0.9 else random.choice(SUFFIXES)
    (folder / f"a{suffix}").write_bytes(damaged(random, kind))


def _no_picture(random: Random, path: Path) -> None:
    match random.randrange(4):
        case 0:
            path.write_bytes(b'<svg xmlns="http://www.w3.org/2000/svg"/>')
        case 1:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("a.png", b"no picture")
        case 2:
            path.write_bytes(random.randbytes(random.choice((1, 25, 26, 5000))))
        case _:
            path.touch()


CONTAINERS = (
    (".mpo", 6),
    (".jps", 4),
    (".heic", 4),
    (".avif", 3),
    (".pfm", 4),
    (".cr2", 1),
    (".bag", 1),
)


def make_container(random: Random, folder: Path) -> None:
    """Write a damaged MPO, JPS, HEIC, AVIF or PFM, or the beginning of another kind of file."""
    suffix = random.choices(*zip(*CONTAINERS, strict=True))[0]
    content = bytearray(random.choice(_whole_containers()[suffix]))
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        # What says places and sizes lies at the beginning.
        at = random.randrange(len(content) if random.random() < 0.3 else min(len(content), 900))
        size = random.choice((1, 2, 4))
        number = random.choice((0, 1, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**32 - 1, at))
        content[at : at + size] = (number % 256**size).to_bytes(size, random.choice(ORDERS))
    if random.random() < 0.3:
        del content[random.randrange(len(content)) :]
    (folder / f"a{suffix}").write_bytes(content)


ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")


@cache
def _whole_containers() -> dict[str, list[bytes]]:
    left, right = views()
    colours = np.stack([left] * 3, -1)
    avif = io.BytesIO()
    if features.check("avif"):
        Image.fromarray(colours).save(avif, "AVIF")
    first, second = 1, 2
    content = {
        ".mpo": [mpo([left, right], [0x020002] * 2, numbers) for numbers in ([1, 2], [2, 1], None)],
        ".jps": [jps(colours, flags, layout) for flags in (0, 2, 4, 6) for layout in (2, 3)],
        ".heic": [b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"],
        ".avif": [avif.getvalue() or b"\0\0\0\x18ftypavif\0\0\0\0avifmif1"],
        ".pfm": [
            kind + b"%s7 5%s-1.0%s" % ((end,) * 3) + bytes(7 * 5 * 4 * channels)
            for kind, channels in ((b"Pf", 1), (b"PF", 3))
            for end in (b"\n", b" \n", b"\r\n", b" # a\n", b" ")
        ],
        ".cr2": [saved("TIFF", "RGB")],
        ".bag": [b"#ROSBAG V2.0\n" + bytes(99), b"text"],
    }
    if find_spec("pillow_heif"):  # which writes them
        content[".heic"] += [
            heic([left]),
            heic([left, right]),
            heic([left, right], (first, second)),
        ]
    return content


def make_screenshot(random: Random, folder: Path) -> None:
    """Write a PNG whose text is a damaged recipe, in one of the three kinds of text."""
    text = mutated_text(random, RECIPE) if random.random() < 0.7 else RECIPE.encode()
    from zlib import compress

    packed = random.choice((compress(text), compress(text), bomb(), text, compress(text)[:-3]))
    key = b"wheatstone\0"
    body = random.choice(
        [
            (b"tEXt", key + text),
            (b"zTXt", key + b"\0" + packed),
            (b"iTXt", key + b"\0\0\0\0" + text),
            (b"iTXt", key + b"\1\0en\0\0" + packed),
            (b"iTXt", key + text),
        ]
    )
    parts = chunks(saved("PNG", "RGB"))
    parts.insert(random.choice((1, 1, len(parts) - 1, 0, len(parts))), body)
    content = joined(parts)
    if random.random() < 0.3:
        at = content.find(body[0])
        content = content[: at - 4] + random.randbytes(4) + content[at:]
    if random.random() < 0.005:
        content = content[:8] + chunk(b"junk", b"") * 300_000 + content[8:]
    (folder / "a.png").write_bytes(content)


def _only(folder: Path) -> Path:
    return next(folder.iterdir())


def _read_image(folder: Path) -> object:
    from wheatstone.viewer.io.sources.images import read_image

    return read_image(_only(folder))


def _read_recipe(folder: Path) -> object:
    from wheatstone.viewer.settings.screenshot import read_recipe

    return read_recipe(_only(folder))


def _render(folder: Path) -> int:
    from wheatstone.viewer.cli.cli import main

    words = ["render", "invert", str(_only(folder)), "--variant", "cpu"]
    return main([*words, "--out", str(folder / "out.png")])


def _read_views(folder: Path) -> object:
    from wheatstone.viewer.io.sources.layouts import views_of
    from wheatstone.viewer.io.sources.still import read_views

    path = _only(folder)
    read = read_views(path, None, measure="percentile")
    return views_of(None, read.left, read.right, path).split(path.name, read.left, read.right)


KINDS = [
    FuzzKind("images", make_image, _read_image),
    FuzzKind("containers", make_container, _read_views),
    FuzzKind("tones", make_image, _read_views, weight=0.3),
    FuzzKind("screenshots", make_screenshot, _read_recipe, weight=0.5),
    FuzzKind("screenshots of images", make_image, _read_recipe, weight=0.1),
    FuzzKind("renders", make_image, _render, weight=0.02),
]
