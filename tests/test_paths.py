"""Paths that a user writes are whole paths, whatever they name."""

from pathlib import Path

from wheatstone.viewer.io.reading.paths import expanded, paths_in, resolved


def test_a_tilde_is_a_home_where_there_is_one() -> None:
    assert expanded("~/left.png") == Path.home() / "left.png"
    assert expanded("~nobody-by-that-name/x") == Path("~nobody-by-that-name/x")


def test_links_are_followed_as_far_as_they_lead(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "loop").symlink_to("loop")
    assert resolved(tmp_path / "link" / "left.png") == tmp_path.resolve() / "folder" / "left.png"
    assert resolved(tmp_path / "loop" / "left.png").name == "left.png"


def test_a_pasted_text_names_one_path_or_several(tmp_path: Path) -> None:
    one, other = tmp_path / "left view.png", tmp_path / "right.png"
    for path in (one, other):
        path.touch()
    assert paths_in(f" {one} ") == (str(one),)
    assert paths_in(f"'{one}' {other}") == (str(one), str(other))
    assert paths_in(f"{one.as_uri()} {other.as_uri()}") == (str(one), str(other))
    assert paths_in(f"{one.as_uri()}") == (str(one),)
    assert paths_in("left view.png right.png") == ("left view.png right.png",)
    assert paths_in("it's missing.png") == ("it's missing.png",)
