"""Which sources are remembered, and what becomes of a list that is damaged or a stranger's."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.start.looking import missing, query_start, small_picture
from wheatstone.viewer.settings.recent_sources import note_source, recent_file, recent_sources
from wheatstone.viewer.settings.trust import is_own


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[list[Source]]:
    """Fourteen pictures of 200 x 100, each of a grey level of its own, opened."""
    opened = []
    for number in range(14):
        path = tmp_path / f"street-{number}.png"
        Image.fromarray(np.full((100, 200), number, np.uint8)).save(path)
        opened.append(open_source(SourceSpec(str(path))))
    yield opened
    for source in opened:
        source.close()


def note(source: Source) -> tuple[str, ...]:
    return tuple(one.title for one in note_source(source, source.frame(0).left))


def test_the_newest_comes_first_each_once_and_no_more_than_twelve(sources: list[Source]) -> None:
    assert recent_sources() == ()
    for source in sources:
        names = note(source)
    assert names == tuple(f"street-{number}.png" for number in range(13, 1, -1))
    assert note(sources[5])[:2] == ("street-5.png", "street-13.png")
    assert len(recent_sources()) == 12
    assert [one.spec for one in recent_sources()][:1] == [sources[5].spec]
    assert len(list((recent_file().parent / "recent").iterdir())) == 12


def test_the_small_picture_is_that_of_the_left_view(sources: list[Source]) -> None:
    note(sources[7])
    (one,) = recent_sources()
    assert one.thumbnail
    assert np.array_equal(small_picture(one.thumbnail), np.full((48, 96, 3), 7))
    Image.new("RGB", (300, 2)).save(one.thumbnail)
    with pytest.raises(ValueError, match="256 pixels"):
        small_picture(one.thumbnail)
    assert query_start((one,)).pictures == {}


def test_a_built_in_scene_is_not_noted() -> None:
    with closing(open_source(SourceSpec(size=(32, 24)))) as scene:
        assert note(scene) == () and not recent_file().exists()


def test_a_name_that_is_no_text_is_remembered_byte_for_byte(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/left\xff.png"
    Image.new("L", (20, 20)).save(os.fsdecode(path).encode("utf-8", "surrogateescape"), "PNG")
    with closing(open_source(SourceSpec(os.fsdecode(path)))) as source:
        note(source)
    (one,) = recent_sources()
    assert os.fsencode(one.spec.left or "") == path and one.title == "left\\xff.png"


def test_a_damaged_list_is_set_aside(
    sources: list[Source], capsys: pytest.CaptureFixture[str]
) -> None:
    note(sources[0])
    recent_file().write_text(recent_file().read_text()[:-9])
    assert recent_sources() == ()
    assert "recent.json.damaged" in capsys.readouterr().err
    assert recent_file().with_name("recent.json.damaged").exists()
    assert note(sources[1]) == ("street-1.png",)


def test_an_entry_that_nothing_opens_is_left_out_and_the_others_stay(
    sources: list[Source],
) -> None:
    note(sources[0])
    document = json.loads(recent_file().read_text())
    nothing: list[dict[str, object]] = [{"left": 3}, {"left": "\ud800.png"}, {}]
    document["sources"] += [{"title": "?", "source": source} for source in nothing]
    recent_file().write_text(json.dumps(document))
    assert [one.title for one in recent_sources()] == ["street-0.png"]


def test_only_what_the_program_wrote_itself_is_its_users_own(sources: list[Source]) -> None:
    note(sources[0])
    (one,) = recent_sources()
    assert is_own(one.spec, one.seal)
    recent_file().write_text(recent_file().read_text().replace("street-0", "street-1"))
    (other,) = recent_sources()
    assert not is_own(other.spec, other.seal)


def test_what_is_gone_is_named(tmp_path: Path) -> None:
    here = tmp_path / "left.png"
    here.touch()
    gone = str(tmp_path / "right.png")
    assert missing(SourceSpec(str(here))) == ""
    assert missing(SourceSpec(str(here), gone)) == gone
    assert missing(SourceSpec("rtsp://somewhere/1")) == ""
    assert missing(SourceSpec("/dev/video987")) == "/dev/video987"
