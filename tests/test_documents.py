"""The one door for documents: size, depth and types are bounded, messages name file and line."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from wheatstone.viewer.io.reading.documents import (
    DEEPEST,
    Format,
    parsed,
    read_document,
    typed_text,
)
from wheatstone.viewer.io.reading.places import line_of
from wheatstone.viewer.io.reading.regular_files import read_regular


class Pair(TypedDict):
    left: str
    scale: NotRequired[float]


@dataclass(frozen=True)
class Manifest:
    pairs: list[Pair]
    convention: str = ""


TOML = '''# [[pairs]]
convention = """
[pairs]"""

[[pairs]]
left = "a[[[["
[[pairs]]
left = 'b'
scale = "x"
'''
JSON = '{"pairs": [{"left": "a]["},\n\n {"left": "b",\n"scale": "x"}]}'


@pytest.mark.parametrize(("form", "text", "line"), [("TOML", TOML, 9), ("JSON", JSON, 4)])
def test_a_wrong_value_is_named_with_its_place_and_line(form: Format, text: str, line: int) -> None:
    message = rf"pairs\[1\].scale must be a finite number \(got 'x'\) \(line {line}\)"
    with pytest.raises(ValueError, match=message):
        typed_text(text, form, Manifest)
    good = typed_text(text.replace('"x"', "8"), form, Manifest)
    assert good.pairs == [{"left": "a[[[[" if form == "TOML" else "a]["}, {"left": "b", "scale": 8}]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("JSON", "[" * 100_000),
        ("JSON", '{"a":' * 100_000),
        ("JSON", "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)),
        ("TOML", "a = " + "[" * 100_000),
        ("TOML", "a = " + "{b = " * 100_000),
        ("TOML", "a" + ".a" * 100_000 + " = 1"),
        ("TOML", f"[{'a.' * 20}a]\n{'a.' * 20}a = 1"),
        ("TOML", "a = " + "{b.b.b.b.b.b = " * 20 + "1" + "}" * 20),
    ],
)
def test_what_is_nested_too_deeply_is_refused_before_it_is_parsed(form: Format, text: str) -> None:
    with pytest.raises(ValueError, match=f"nested more than {DEEPEST} deep"):
        parsed(text, form)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("JSON", "[" * DEEPEST + "]" * DEEPEST),
        ("JSON", f'["{"[" * 999}", "\\"{"[" * 999}"]'),
        ("TOML", f'a = \'{"[" * 999}\' # {"[" * 999}\nb = """\n\\"{"[" * 999}"""'),
        ("TOML", "a = [" + "1.5, " * 999 + "]"),
    ],
)
def test_brackets_and_dots_that_nest_nothing_are_counted_for_nothing(
    form: Format, text: str
) -> None:
    assert parsed(text, form)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    for text in ('{"a": NaN}', '{"a": -Infinity}', f'{{"a": {"9" * 5000}}}'):
        with pytest.raises(ValueError):
            parsed(text, "JSON")


def test_a_document_s_form_goes_by_its_suffix_and_its_file_is_named(tmp_path: Path) -> None:
    for name, text in (("a.toml", "pairs = []"), ("a.json", '{"pairs": []}')):
        (tmp_path / name).write_text(text)
        assert read_document(tmp_path / name, Manifest) == Manifest([])
        (tmp_path / name).write_text("\n\n= 3\n")
        with pytest.raises(ValueError, match=rf"{name}: .*line 3"):
            read_document(tmp_path / name, Manifest)
    (tmp_path / "a.json").write_bytes(b'{\n"\xff"')
    with pytest.raises(ValueError, match=r"a.json: not in UTF-8 \(line 2"):
        read_document(tmp_path / "a.json", Manifest)


def test_only_regular_files_within_bounds_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1234")
    assert read_regular(tmp_path / "file", 4) == b"1234"
    with pytest.raises(ValueError, match="larger than"):
        read_regular(tmp_path / "file", 3)
    os.mkfifo(tmp_path / "pipe")
    for path, each in (
        (tmp_path / "pipe", "found a pipe"),
        (Path("/dev/zero"), "found a device"),
        (tmp_path, "found a folder"),
    ):
        with pytest.raises(OSError, match=each):
            read_regular(path, 4)
    with pytest.raises(ValueError, match="larger than"):  # it says that it has no size
        read_regular(Path("/proc/self/maps"), 4)


def test_the_nearest_line_that_is_found_is_named() -> None:
    assert line_of(("pairs", 1, "absent"), TOML, "TOML") == 7
    assert line_of(("pairs", 0, "left"), TOML, "TOML") == 6
    assert line_of(("nothing",), TOML, "TOML") is None
    assert line_of(("pairs", 1), JSON, "JSON") == 3


@pytest.mark.parametrize("form", ["TOML", "JSON"])
@pytest.mark.parametrize(
    "text",
    [
        "1" * 250_000,
        "a." * 125_000,
        "[" + "\t" * 250_000,
        "[" + "a." * 30_000 + "a]\n" + "a=\n" * 45_000,
        '"' * 249_999,
        '"' + '\\"' * 125_000,
    ],
    ids=["digits", "dots", "spaces", "a long table", "quotes", "escapes"],
)
def test_a_line_is_looked_for_in_linear_time(form: str, text: str) -> None:
    begun = time.process_time()
    line_of(("pairs", 1, "scale"), f'text = """\n{text}\n"""', form)
    assert time.process_time() - begun < 2
