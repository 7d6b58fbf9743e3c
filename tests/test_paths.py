"""Paths that a user writes are whole paths, whatever they name."""

from pathlib import Path

from wheatstone.viewer.io.reading.paths import expanded, resolved


def test_a_tilde_is_a_home_where_there_is_one() -> None:
    assert expanded("~/left.png") == Path.home() / "left.png"
    assert expanded("~nobody-by-that-name/x") == Path("~nobody-by-that-name/x")


def test_links_are_followed_as_far_as_they_lead(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "loop").symlink_to("loop")
    assert resolved(tmp_path / "link" / "left.png") == tmp_path.resolve() / "folder" / "left.png"
    assert resolved(tmp_path / "loop" / "left.png").name == "left.png"
