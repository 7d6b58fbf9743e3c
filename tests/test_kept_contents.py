"""Files that are read once for their fingerprint and their pixels, and paths resolved cheaply."""

import os
from pathlib import Path

import pytest

from wheatstone.viewer.io.files.journal import fingerprint
from wheatstone.viewer.io.reading import regular_files
from wheatstone.viewer.io.reading.paths import resolved, resolved_file
from wheatstone.viewer.io.reading.regular_files import read_regular


def test_a_file_is_read_once_for_its_fingerprint_and_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"first")
    before = fingerprint(path)
    seen = list[bytes | None]()
    kept = regular_files._kept_content

    def noted(state: regular_files.State) -> bytes | None:
        seen.append(kept(state))
        return seen[-1]

    monkeypatch.setattr(regular_files, "_kept_content", noted)
    assert read_regular(path, 100) == read_regular(path, 100) == b"first"
    assert seen == [b"first", None]  # kept until it is read
    fingerprint(path)
    path.write_bytes(b"other content")
    assert read_regular(path, 100) == b"other content"
    assert fingerprint(path) != before


def test_content_that_was_kept_obeys_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(2000))
    fingerprint(path)
    with pytest.raises(ValueError, match="larger than 1 KiB"):
        read_regular(path, 1024)


def test_a_files_path_is_resolved_like_any_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    (tmp_path / "a" / "other").symlink_to("b/file")
    monkeypatch.chdir(tmp_path / "a")
    names = ("b/file", "../link/file", "../link/../b/file", "other", "absent/file", "b", ".", "..")
    for name in (*names, *(str(tmp_path / name) for name in names), "link/", os.devnull):
        assert resolved_file(name) == resolved(name), name
