"""The registry of input files: what it recognises, what is an output, what is forgotten."""

import os
from pathlib import Path

import pytest

from wheatstone.viewer.io.files.folders import folder_below
from wheatstone.viewer.io.files.output import check_outputs, claim_outputs, whole_file
from wheatstone.viewer.io.reading.inputs import INPUTS, InputFiles, add_inputs
from wheatstone.viewer.io.reading.regular_files import read_regular


@pytest.fixture(autouse=True)
def no_inputs() -> None:
    INPUTS.clear()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("mine")
    return path


def test_whatever_the_reader_reads_is_not_replaced(file: Path) -> None:
    read_regular(file, 100)
    with pytest.raises(ValueError, match=r"a\.txt: would replace an input"), whole_file(file):
        pytest.fail("must not be reached")
    assert file.read_text() == "mine"


def test_an_input_that_was_replaced_since_is_still_one(file: Path) -> None:
    inputs = InputFiles()
    inputs.add(file)
    assert inputs.find(file)
    (file.parent / "new").write_text("edited")
    os.replace(file.parent / "new", file)
    assert inputs.find(file) == file


def test_a_file_that_got_the_number_of_a_deleted_input_is_no_input(file: Path) -> None:
    inputs = InputFiles()
    inputs.add(file)
    assert inputs.find(file)
    moved = file.rename(file.with_name("b.txt"))  # the same number, as a new file may get it
    assert inputs.find(moved) is None


def test_what_the_program_wrote_is_no_input_when_it_is_read_back(tmp_path: Path) -> None:
    for text in ("first", "second"):
        with whole_file(tmp_path / "out.txt") as temporary:
            temporary.write_text(text)
        assert read_regular(tmp_path / "out.txt", 100) == text.encode()


def test_a_file_of_the_program_itself_is_replaced_though_it_was_read(file: Path) -> None:
    read_regular(file, 100)
    with whole_file(file, own=True) as temporary:
        temporary.write_text("its own")
    assert file.read_text() == "its own"


def test_later_inputs_are_listed_only_if_an_output_exists(file: Path) -> None:
    def listed() -> list[Path]:
        asked.append(1)
        return [file]

    asked: list[int] = []
    claim_outputs([file.with_name("new")], (path for _ in [0] for path in listed()))
    assert not asked
    with pytest.raises(ValueError, match="would replace an input"):
        claim_outputs([file], (path for _ in [0] for path in listed()))


def test_two_dots_behind_a_link_do_not_lead_back(tmp_path: Path, file: Path) -> None:
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "deep")
    (tmp_path / "far" / "a.txt").write_text("another")
    add_inputs([file])
    check_outputs([tmp_path / "link" / ".." / "a.txt"])  # far/a.txt
    with pytest.raises(ValueError, match="would replace an input"):
        check_outputs([tmp_path / "link" / ".." / ".." / "a.txt"])


def test_a_folder_that_disappeared_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"out: the folder was removed"):
        folder_below(tmp_path / "out", tmp_path / "out" / "deep")
