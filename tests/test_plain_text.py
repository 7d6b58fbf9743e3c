"""Text from outside: names that are no UTF-8, and messages that do nothing but show."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from wheatstone.viewer.io.reading.plain_text import LONGEST, cut, encodable, in_shell, one_line
from wheatstone.viewer.run.measuring.result_files import write, write_json
from wheatstone.viewer.settings.recipe import dumps, loads

BYTES = b"/tmp/a\xff \xc3\xa9'\n%41.png"
NAME = os.fsdecode(BYTES)


def test_a_message_is_one_line_that_only_shows() -> None:
    assert one_line(NAME) == "/tmp/a\\xff é'\\n%41.png"
    assert one_line("\x1b[31m\u202e\x00\ud800") == "\\x1b[31m\\u202e\\x00\\ud800"
    for long in ("a" * 5000, "\x1b" * 5000, "\udcff" * 901):
        assert len(one_line(long)) <= LONGEST


def test_a_long_text_keeps_both_ends() -> None:
    text = f"begin{'-' * 1000}end"
    shortened = cut(text, 100)
    assert len(shortened) == 100 and shortened.startswith("begin") and shortened.endswith("end")
    assert cut(text, len(text)) == text


@pytest.mark.parametrize("name", [NAME, "plain", "two words", "", "'", "\\", "a\tb", "\udcff1"])
def test_a_shell_gives_words_back_byte_for_byte(name: str) -> None:
    line = in_shell(["printf", "%s|", name, "end"])
    assert encodable(line) == line and "\n" not in line
    printed = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout
    assert printed == os.fsencode(name) + b"|end|"


@pytest.mark.parametrize("name", [NAME, "/plain.png", "/with file:///inside", "/%ff.png"])
def test_a_recipe_gives_names_of_files_back(name: str) -> None:
    text = dumps({"source": {"left": name}, "view": {"frame": 3}})
    assert loads(text) == {"source": {"left": name}, "view": {"frame": 3}}
    assert tomllib.loads(text)["source"]["left"].startswith("file:///" if name == NAME else "/")


def test_a_recipe_takes_every_text() -> None:
    recipe = {"source": {"left": "/\ud800"}, "made": {"\udcff": ["\udcff", {"a": "\ud800"}]}}
    assert tomllib.loads(dumps(recipe)) == {
        "source": {"left": "/\\ud800"},
        "made": {"\\xff": ["\\xff", {"a": "\\ud800"}]},
    }


def test_json_gives_names_back_and_other_files_show_them(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"name": NAME, "accent": "é"})
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(text)["name"] == NAME and "é" in text
    write(tmp_path / "a.md", f"# {NAME}\n")
    assert (tmp_path / "a.md").read_bytes() == b"# /tmp/a\\xff \xc3\xa9'\n%41.png\n"
