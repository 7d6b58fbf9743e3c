"""Locks of files: another program that holds one, and file systems that have none."""

import errno
import os
from pathlib import Path

import pytest

from wheatstone.viewer.io.files.locks import HAS_LOCKS, hold, locked
from wheatstone.viewer.io.files.output import UNFINISHED, write_whole
from wheatstone.viewer.io.files.sole_writer import LOCK, sole_writer

pytestmark = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no locks of files")


def test_a_lock_that_another_holds_is_waited_for_but_not_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as file:
        assert hold(file)
        with pytest.raises(TimeoutError, match="held it for 0"), locked(path, 0.1):
            pass
    with locked(path, 0.1):
        pass


def test_a_file_system_without_locks_is_no_other_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(number: int) -> None:
        def flock(file: object, operation: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("fcntl.flock", flock)

    for number in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP):
        fail(number)
        with locked(tmp_path / "lock", 0.0), (tmp_path / "lock").open("rb") as file:
            assert hold(file) is None
        with sole_writer(tmp_path), sole_writer(tmp_path):
            assert (tmp_path / LOCK).is_file()
        assert not (tmp_path / LOCK).exists()
        first, second = capsys.readouterr().err.splitlines()
        assert first == second and str(tmp_path) in first
        write_whole(tmp_path / "written", [b"all"])
        assert (tmp_path / "written").read_bytes() == b"all"
    for number in (errno.EWOULDBLOCK, errno.EACCES):
        fail(number)
        with pytest.raises(TimeoutError), locked(tmp_path / "lock", 0.0):
            pass
        with pytest.raises(FileExistsError, match="another run"), sole_writer(tmp_path):
            pass
    fail(errno.EIO)
    with pytest.raises(OSError, match=f"{LOCK}: cannot be written"), sole_writer(tmp_path):
        pass
    with pytest.raises(OSError, match="never: cannot be written"):
        write_whole(tmp_path / "never", [b"all"])
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(UNFINISHED)]
