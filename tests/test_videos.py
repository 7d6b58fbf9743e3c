"""Videos as sources: one file or two, truth by frame, damage, and what is refused in one line."""

import json
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.containers import ST3D, VEXU, with_box
from tests.painted_videos import HEIGHT, WIDTH, number_in, painted, uneven, write_video
from tests.patience import PATIENCE, wait_until
from tests.turned_pairs import turned_pair
from wheatstone.viewer.cli.calibrate.verb import frames_to_search
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.footage.planes import Pixels, pixels_of
from wheatstone.viewer.io.footage.read_ahead import AheadReader
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.times import clock_text, duration, frame_at, frames_due, time_of
from wheatstone.viewer.run.carry import DAMAGED, run_frame
from wheatstone.viewer.run.frame_ref import FrameRef, opened_video
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import RunJob

av = pytest.importorskip("av", reason="video needs PyAV")
X264 = {"preset": "ultrafast", "bf": "2"}


def both(number: int) -> Pixels:
    """A picture that holds two views; the right one shows a number that is one larger."""
    return np.concatenate([painted(number), painted(number + 1)], axis=1)


def numbers(source: Source, index: int) -> list[int]:
    frame = source.frame(index)
    return [number_in(view) for view in (frame.left, frame.right) if view is not None]


def test_a_video_is_a_source_of_its_frames(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", count=40, stamp=uneven)
    with closing(open_source(SourceSpec(str(path)))) as source:
        assert (source.height, source.width, source.length) == (HEIGHT, WIDTH, 40)
        assert source.spec.to_dict() == {"left": str(path)}
        assert "mpeg4, 128x64, 40 frames" in source.notes[0] and source.decoding in source.notes[0]
        assert source.decoding in ("software decoding", "GPU decoding")
        assert source.times is not None and source.times[0] == 0
        lasted = (uneven(39) - uneven(0)) / 60_000
        assert source.rate == pytest.approx(39 / lasted, rel=1e-3)
        assert duration(source) == pytest.approx(lasted * 40 / 39, rel=1e-3)
        assert [numbers(source, at) for at in (0, 39, 7, 40, -1)] == [[0], [39], [7], [0], [39]]


@pytest.mark.parametrize(
    ("mode", "layout", "shown"),
    [
        ("left_right", "side-by-side", [5, 6]),
        ("right_left", "swapped", [6, 5]),
        ("top_bottom", "top-bottom", None),
        ("mono", "pair", [5]),
    ],
)
def test_a_film_that_says_where_its_views_lie_is_believed(
    tmp_path: Path, mode: str, layout: str, shown: list[int] | None
) -> None:
    path = write_video(tmp_path / "a.mkv", count=8, picture=both, metadata={"stereo_mode": mode})
    with closing(open_source(SourceSpec(str(path)))) as source:
        assert source.layouts[0] == layout
        if shown:
            assert numbers(source, 5) == shown
    with closing(open_source(SourceSpec(str(path), layout="pair"))) as source:
        assert source.layouts[0] == "pair" and not source.frame(5).is_pair


def half(number: int) -> Pixels:
    """A picture of two views that are squeezed to half their width, above a dark strip."""
    return np.pad(both(number)[:, ::2], ((0, 16), (0, 0), (0, 0)))


PACKED = b"\x06\x2d\x07\x81\x81"
"""The beginning of a message of H.264: views side by side, and the left one comes first."""


@pytest.mark.parametrize(
    ("packing", "picture", "first", "layout", "shown"),
    [
        (3, both, b"\x81", "side-by-side", [5, 6]),
        (3, both, b"\x82", "swapped", [6, 5]),
        (3, half, b"\x81", "half-side-by-side", [5, 6]),
        (0, both, b"", "pair", [5]),
        (5, painted, b"", "pair", [5]),
    ],
)
@pytest.mark.parametrize("suffix", [".h264", ".mkv", ".mp4"])
def test_the_frame_packing_of_a_stream_is_believed(
    tmp_path: Path,
    packing: int,
    picture: Callable[[int], Pixels],
    first: bytes,
    layout: str,
    shown: list[int],
    suffix: str,
) -> None:
    options = X264 | {"x264-params": f"frame-packing={packing}"}
    path = write_video(tmp_path / f"a{suffix}", "libx264", 8, picture=picture, options=options)
    if first:
        encoded = path.read_bytes()
        assert PACKED in encoded
        path.write_bytes(encoded.replace(PACKED, PACKED[:-1] + first))
    with closing(open_source(SourceSpec(str(path)))) as source:
        assert source.layouts[0] == layout and numbers(source, 5) == shown
        assert ("are the left and the right view in turn" in source.notes[0]) == (packing == 5)


def test_boxes_of_mp4_say_how_a_film_is_packed(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", "libx264", 8, picture=both, options=X264)
    path.write_bytes(with_box(path.read_bytes(), b"avc1", ST3D))
    with closing(open_source(SourceSpec(str(path)))) as source:
        assert source.layouts[0] == "side-by-side" and numbers(source, 5) == [5, 6]


def test_of_a_spatial_video_one_view_is_shown_and_named(tmp_path: Path) -> None:
    quiet = {"x265-params": "log-level=none"}
    path = write_video(tmp_path / "a.mov", "libx265", 8, options=quiet)
    path.write_bytes(with_box(path.read_bytes(), b"hev1", VEXU))
    with closing(open_source(SourceSpec(str(path)))) as source:
        assert source.layouts[0] == "pair" and numbers(source, 5) == [5]
        assert "MV-HEVC): only its main view, usually the left one" in source.notes[0]


def test_a_film_that_was_cut_off_is_reported_as_shorter_than_declared(tmp_path: Path) -> None:
    whole = write_video(tmp_path / "a.mkv", count=90)
    with closing(open_source(SourceSpec(str(whole)))) as source:
        assert source.length == 90 and "missing" not in source.notes[0]
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: 2 * whole.stat().st_size // 3])
    with closing(open_source(SourceSpec(str(cut)))) as source:
        lacks = (90 - source.length) / 30
        assert 0.5 < lacks < 2 and f"its last {lacks:.1f} s are missing" in source.notes[0]


def test_a_layout_that_is_given_cuts_out_both_views(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", count=20, picture=both)
    with closing(open_source(SourceSpec(str(path), layout="side-by-side"))) as source:
        assert numbers(source, 5) == [5, 6]
        assert source.spec.layout == "side-by-side" and source.width == WIDTH


def test_two_videos_are_paired_by_time_and_the_shorter_counts(tmp_path: Path) -> None:
    left = write_video(tmp_path / "l.mp4", count=30, stamp=lambda n: 2000 * (n + 3))
    right = write_video(tmp_path / "r.mp4", count=20, stamp=lambda n: 2000 * (n + 4) + 600)
    with closing(open_source(SourceSpec(str(left), str(right)))) as source:
        assert source.length == 20 and "20 pairs of 30 left and 20 right frames" in source.notes
        assert [numbers(source, at) for at in (0, 19, 4)] == [[1, 0], [20, 19], [5, 4]]
        assert source.times is not None and source.times[1] == pytest.approx(1 / 30)


def test_truth_lies_in_a_folder_by_the_number_of_the_frame(tmp_path: Path) -> None:
    path = write_video(tmp_path / "drive.mp4", count=6, picture=both)
    folder = tmp_path / "drive.truth"
    folder.mkdir()
    for number in (2, 5):
        truth = np.full((HEIGHT, WIDTH), 256 * number, np.uint16)
        Image.fromarray(truth).save(folder / f"disparity_{number:04}.png")
    (folder / "readme.txt").write_text("no truth")
    for truth_folder in (None, str(folder)):
        with closing(
            open_source(SourceSpec(str(path), layout="side-by-side", truth=truth_folder))
        ) as source:
            assert source.frame(0).truth is None
            for number in (2, 5):
                truth_of = source.frame(number).truth
                assert truth_of is not None and np.all(truth_of == number)


def test_a_row_says_that_a_frame_of_a_video_is_damaged(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", "mpeg4", 24)
    content = bytearray(path.read_bytes())
    for at in range(len(content) // 2, len(content) * 3 // 4, 7):
        content[at] ^= 0xFF
    damaged = tmp_path / "b.mkv"
    damaged.write_bytes(content)

    def warnings(film: Path) -> list[str]:
        """List those of the frames that can be decoded."""
        refs = [FrameRef("", film, None, number) for number in range(24)]
        options = SourceSpec(decoding="software", layout="side-by-side")
        done = [run_frame(RunJob(ref, Run("invert", "cpu"), options)) for ref in refs]
        return [result.row["warnings"] for result in done if not result.why]

    assert not any(DAMAGED in each for each in warnings(path))
    count = sum(DAMAGED in each for each in warnings(damaged))
    assert 0 < count < len(warnings(damaged))


def without_packet(path: Path, number: int) -> Path:
    """Copy a video with zeros in place of the packet of this number, in the order of decoding."""
    copy = path.with_stem("lacking")
    with av.open(str(path)) as old, av.open(str(copy), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for at, packet in enumerate(p for p in old.demux(video=0) if p.size):
            kept = av.Packet(b"\0" * 40) if at == number else packet
            kept.pts, kept.dts, kept.time_base = packet.pts, packet.dts, packet.time_base
            kept.is_keyframe, kept.stream = packet.is_keyframe, stream
            new.mux(kept)
    return copy


def damaged_frames(source: Source) -> set[int]:
    """The frames of a source that cannot be decoded, or carry a warning."""
    found = set()
    for index in range(source.length):
        try:
            if source.frame(index).damaged():
                found.add(index)
        except ValueError:
            found.add(index)
    return found


@pytest.mark.parametrize(
    ("codec", "suffix", "lost", "warned"),
    [
        ("mpeg4", ".mkv", 5, set(range(5, 12))),
        ("mpeg4", ".mkv", 12, set(range(12, 24))),
        ("mpeg4", ".mkv", 23, {23}),
        ("mpeg4", ".mkv", 35, {35}),
        ("libx264", ".mp4", 4, set(range(6, 12))),  # of 4, 5 and 6, frame 6 is decoded first
    ],
)
def test_later_frames_of_a_damaged_one_carry_its_warning_up_to_the_next_key_frame(
    tmp_path: Path, codec: str, suffix: str, lost: int, warned: set[int]
) -> None:
    options = X264 if codec == "libx264" else {}
    path = write_video(tmp_path / f"a{suffix}", codec, 36, gop=12, options=options)
    spec = SourceSpec(str(path), decoding="software", layout="pair")
    with closing(open_source(spec)) as source:
        assert not damaged_frames(source)
    with closing(open_source(spec.changed(left=str(without_packet(path, lost))))) as source:
        assert damaged_frames(source) == warned and 0 < source.damaged <= 2


def test_damage_of_an_uncounted_frame_reaches_up_to_the_next_key_frame(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.avi", count=36, gop=12, b_frames=2)
    for lost, warned in ((0, set(range(12))), (5, set(range(4, 11)))):
        broken = SourceSpec(str(without_packet(path, lost)), decoding="software", layout="pair")
        with closing(open_source(broken)) as source:
            assert damaged_frames(source) == warned and source.damaged == 1


def shifted(number: int) -> Pixels:
    """Two views side by side of a texture that moves, 6 pixels apart."""
    texture = np.random.default_rng(3).integers(0, 255, (60, 100)).astype(np.uint8)
    wide = np.kron(texture, np.ones((4, 4), np.uint8))
    left, right = (np.roll(wide, number - shift, 1)[:, :320] for shift in (0, 6))
    return np.repeat(np.concatenate([left, right], axis=1)[..., None], 3, axis=2)


@pytest.mark.parametrize(("codec", "gop"), [("mpeg4", 12), ("mpeg4", 30), ("libx264", 30)])
def test_the_layout_is_detected_in_the_first_whole_frame(
    tmp_path: Path, codec: str, gop: int
) -> None:
    options = X264 if codec == "libx264" else {}
    path = write_video(tmp_path / "a.mkv", codec, 36, gop=gop, options=options, picture=shifted)
    broken = without_packet(path, 0)
    with closing(open_source(SourceSpec(str(broken), decoding="software"))) as source:
        assert source.layouts[0] == "side-by-side" and source.frame(gop).is_pair
        assert damaged_frames(source) == set(range(gop))
    judged = opened_video(broken, None, SourceSpec(decoding="software"), pairs=True)
    assert judged.layouts[0] == "side-by-side"


@pytest.mark.parametrize(("codec", "options"), [("mpeg4", {}), ("libx264", X264)])
def test_damage_is_counted_and_other_frames_stay_themselves(
    codec: str, options: dict[str, str], tmp_path: Path
) -> None:
    path = write_video(tmp_path / "a.mkv", codec, 96, options=options)
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(4)
    for at in rng.integers(len(content) // 2, len(content) * 5 // 8, 40):
        content[at] ^= 0xFF
    path.write_bytes(content)
    # A GPU's decoder conceals damage, and does not tell of all that it found.
    with closing(open_source(SourceSpec(str(path), decoding="software"))) as source:
        clean, seen = 36, 0
        for index in range(source.length):
            try:
                shown = numbers(source, index)
            except ValueError as error:
                assert "cannot be decoded" in str(error)
            else:
                seen += 1
                assert index >= clean or shown == [index]
        assert seen > 60 and 0 < source.damaged < 40
        assert source.notes[-1] == f"{source.damaged} damaged frames so far"


def sound(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000, layout="mono")
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        silence.sample_rate = 8000
        container.mux(stream.encode(silence))
        container.mux(stream.encode())


def turned(path: Path) -> None:
    write_video(path, count=3)
    straight = bytes.fromhex("00010000 00000000 00000000 00000000 00010000")
    quarter = bytes.fromhex("00000000 00010000 00000000 FFFF0000 00000000")
    content = path.read_bytes()
    at = content.index(straight, content.index(b"tkhd"))
    path.write_bytes(content[:at] + quarter + content[at + len(straight) :])


def cut(path: Path) -> None:
    whole = write_video(path, count=10)
    whole.write_bytes(whole.read_bytes()[:1000])


def no_frames(path: Path) -> None:
    with av.open(str(path), "w", format="matroska") as container:
        stream = container.add_stream("ffv1", rate=30)
        stream.width, stream.height = WIDTH, HEIGHT
        container.start_encoding()


def playlist(path: Path) -> None:
    path.write_text(f"#EXTM3U\n#EXTINF:9,\n{path.parent}/other.ts\n#EXT-X-ENDLIST\n")
    write_video(path.parent / "other.ts", count=5, form="mpegts")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_text("no video"), "not a video"),
    "empty": (lambda path: path.touch(), "not a video"),
    "cut": (cut, " video"),
    "sound": (sound, "holds no video (only audio)"),
    "turned": (turned, "degrees"),
    "folder": (lambda path: path.mkdir(), "no stereo pair"),
    "playlist": (playlist, "not a video"),
    "absent": (lambda path: None, "no such file"),
    "no frames": (no_frames, "not a video"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_video_ends_in_one_line(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, text = BAD[kind]
    path = tmp_path / "a.mp4"
    make(path)
    code = main(["render", "invert", str(path), "--out", str(tmp_path / "out.png")])
    out, err = capfd.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert text in err and "a.mp4" in err
    assert not (tmp_path / "out.png").exists()


def test_two_files_that_make_no_pair_are_refused(tmp_path: Path) -> None:
    video = str(write_video(tmp_path / "a.mp4", count=3))
    small = str(write_video(tmp_path / "b.mp4", count=3, picture=lambda n: painted(n)[:, :96]))
    image = tmp_path / "c.png"
    Image.fromarray(painted(0)).save(image)
    with pytest.raises(ValueError, match="give two videos or two images"):
        open_source(SourceSpec(video, str(image)))
    with pytest.raises(ValueError, match="must have the same size"):
        open_source(SourceSpec(video, small))
    with pytest.raises(NotADirectoryError, match="ground truth of a video is a folder"):
        open_source(SourceSpec(video, truth=str(image)))


class Slow:
    """Decodes a frame into a picture of its number; waits for leave to go on."""

    by = "CPU"
    layout: str | None = None

    def __init__(self) -> None:
        self.decoded: list[int] = []
        self.damaged = set[float]()
        self.leave, self.closed = threading.Event(), threading.Event()

    def picture(self, position: int, stop: object) -> Pixels:
        self.leave.wait(PATIENCE)
        self.decoded.append(position)
        if position == 13:
            raise ValueError("frame 13 cannot be decoded")
        return np.full((2, 2), position % 256, np.uint8)

    def close(self) -> None:
        self.closed.set()


def test_what_follows_is_decoded_before_it_is_asked_for() -> None:
    decoder = Slow()
    decoder.leave.set()
    with closing(AheadReader(decoder, 100, 12)) as reader:
        assert pixels_of(reader.picture(0))[0, 0] == 0
        wait_until(lambda: all(reader.ready(at) for at in range(1, 9)))
        assert not reader.ready(9)
        assert pixels_of(reader.picture(90))[0, 0] == 90
        wait_until(lambda: reader.ready(91) or reader.ready(98))
        assert not reader.ready(4)
        with pytest.raises(ValueError, match="frame 13"):
            reader.picture(13)
    assert decoder.closed.wait(1)


def test_who_leaves_frames_out_finds_those_in_his_steps() -> None:
    decoder = Slow()
    decoder.leave.set()
    with closing(AheadReader(decoder, 1000, 12)) as reader:
        for at in (500, 520, 540):
            reader.picture(at)
        wait_until(lambda: all(reader.ready(at) for at in range(556, 564)))


def test_closing_waits_neither_for_a_decoder_that_hangs_nor_lets_others_wait() -> None:
    decoder = Slow()
    reader = AheadReader(decoder, 100, 12)
    asked: list[str] = []

    def ask() -> None:
        try:
            reader.picture(3)
        except ValueError as error:
            asked.append(str(error))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    reader.close()
    thread.join(PATIENCE)
    assert not decoder.closed.is_set() and asked == ["the video is closed"]
    decoder.leave.set()
    assert decoder.closed.wait(5)


class Film:
    """Five frames at uneven times."""

    length, rate = 5, 4.0
    times = np.array([0.0, 0.1, 0.5, 0.6, 1.0])


def test_times_of_frames() -> None:
    film: Source = Film()  # type: ignore[assignment]
    assert duration(film) == 1.25
    assert [time_of(film, at) for at in (0, 2, 4, 7)] == [0.0, 0.5, 1.0, 0.5]
    assert [frame_at(film, at) for at in (-1, 0, 0.1, 0.3, 0.5, 99)] == [0, 0, 1, 1, 2, 4]
    assert [frames_due(film, 3, at) for at in (0.1, 0.5, 0.7, 1.9)] == [0, 1, 2, 7]
    assert clock_text(62.5) == "1:02.50" and clock_text(3723.456) == "1:02:03.45"


def scene_video(folder: Path, count: int = 4) -> Path:
    """A video of the built-in scene, both views side by side, with the truth of two frames."""
    with closing(open_source(SourceSpec(size=(160, 96), seed=3))) as scene:
        frames = [scene.frame(number) for number in range(count)]
    video = folder / "drive.mkv"

    def picture(number: int) -> Pixels:
        left, right = frames[number].left, frames[number].right
        assert right is not None
        return np.concatenate([left, right], axis=1)

    write_video(video, "ffv1", count, picture=picture, pixels="gray")
    (folder / "drive.truth").mkdir()
    for number in (1, 3):
        truth = frames[number].truth
        assert truth is not None
        np.save(folder / "drive.truth" / f"{number}.npy", truth)
    return video


def test_evaluate_judges_the_frames_of_a_video_that_have_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    video = scene_video(tmp_path)
    words = [
        "evaluate",
        str(video),
        "--disparities",
        "32",
        "--variant",
        "cpu",
    ]
    assert main([*words, "--json", "out.json"]) == 0
    document = json.loads((tmp_path / "out.json").read_text())
    text = json.dumps(document)
    assert "drive 1" in text and "drive 3" in text and "drive 0" not in text
    assert main(["evaluate", str(tmp_path / "none.mp4")]) == 2
    write_video(tmp_path / "bare.mp4", count=2)
    assert main(["evaluate", str(tmp_path / "bare.mp4")]) == 2
    assert "bare.truth" in capfd.readouterr().err


def test_bench_measures_on_the_first_frame_of_a_video(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    video = str(write_video(tmp_path / "a.mp4", count=3))
    words = ["bench", "invert", "--variants", "cpu", "--repeat", "2"]
    assert main([*words, "--source", video]) == 0
    assert f"{WIDTH}x{HEIGHT}" in capfd.readouterr().out.replace(" ", "")
    assert main([*words, str(tmp_path / "b.mp4"), "--source", video]) == 2


def test_of_a_long_video_some_frames_are_searched_for_a_board() -> None:
    film: Source = Film()  # type: ignore[assignment]
    assert frames_to_search(film) == [0, 1, 2, 3, 4]
    film.length = 591
    result = frames_to_search(film)
    assert (len(result), result[:3], result[-1]) == (60, [0, 10, 20], 590)


def test_rectify_writes_the_pairs_of_a_video(tmp_path: Path) -> None:
    pair = turned_pair()
    grey = np.concatenate([pair.left, pair.right], axis=1)
    picture = np.repeat(grey[..., None], 3, axis=2)
    video = write_video(tmp_path / "a.mkv", "ffv1", 2, picture=lambda _: picture, pixels="gray")
    out = tmp_path / "out"
    words = ["rectify", str(video), "--rectify", "auto", "--layout", "side-by-side"]
    assert main([*words, "--out", str(out)]) == 0
    assert sorted(path.name for path in (out / "left").iterdir()) == ["000000.png", "000001.png"]
    straight = write_video(tmp_path / "b.mkv", "ffv1", 1)
    assert main(["rectify", str(straight), "--out", str(out)]) == 2
