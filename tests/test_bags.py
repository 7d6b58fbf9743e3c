"""Robot recordings open like videos: ROS 1 and ROS 2 bags, and MCAP files of Foxglove."""

import io
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.board_scenes import made_rig, poses, seen
from tests.robot_bags import (
    BASELINE,
    BEGUN,
    FOCAL,
    HEIGHT,
    PERIOD,
    SHIFT,
    TOPICS,
    WIDTH,
    BagMessage,
    Writer,
    camera,
    every_kind,
    image,
    packed,
    stereo,
    textured_pair,
    write_bag,
    write_foxglove,
)
from tests.test_app import running
from wheatstone.gpu import Unavailable
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.boards import board_of
from wheatstone.viewer.io.cameras.calibration_files import read_calibration
from wheatstone.viewer.io.footage.bags import opening
from wheatstone.viewer.io.sources.bag_topics import words_of
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings.screenshot import read_recipe

for package in ("rosbags", "mcap"):
    pytest.importorskip(package, reason="reads robot recordings")

LEAN = ["--disparities", "16", "--variant", "reference"]


def opened(path: Path, **options: Any) -> Source:
    return open_source(SourceSpec(str(path), **options))


@pytest.fixture(params=every_kind())
def recording(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    write: Writer = every_kind()[request.param]
    return write(tmp_path / "recorded")


def test_a_recording_of_any_kind_plays_like_a_video(recording: Path) -> None:
    with closing(opened(recording)) as source:
        assert source.length == 4
        assert source.rate == pytest.approx(10)
        assert source.times == pytest.approx([0, 0.1, 0.2, 0.3])
        assert source.begun == BEGUN
        for index in (3, 0, 2, 1, 5):
            frame = source.frame(index)
            assert frame.raw and frame.index == index % 4
            left, right = textured_pair(index % 4)
            assert np.array_equal(frame.raw.left, left)
            assert np.array_equal(frame.raw.right, right)


def test_the_calibration_is_that_of_camera_info(recording: Path) -> None:
    with closing(opened(recording)) as source:
        known = source.frame(0).calibration
        assert known and known.unit == "m"
        assert known.baseline == pytest.approx(BASELINE)
        assert known.focal == pytest.approx(FOCAL)
        assert known.depth(SHIFT) == pytest.approx(FOCAL * BASELINE / SHIFT)


def test_a_given_calibration_replaces_that_of_camera_info(tmp_path: Path) -> None:
    text = "cam0=[200 0 48; 0 200 24; 0 0 1]\ncam1=[200 0 48; 0 200 24; 0 0 1]\ndoffs=0\n"
    text += f"baseline=250\nwidth={WIDTH}\nheight={HEIGHT}\n"
    (tmp_path / "calib.txt").write_text(text)
    bag = write_bag(tmp_path / "bag", stereo())
    with closing(opened(bag, calibration=str(tmp_path / "calib.txt"))) as source:
        known = source.frame(0).calibration
        assert known and known.baseline == pytest.approx(0.25)


@pytest.mark.parametrize("kind", ["ros1", "sqlite3", "mcap"])
def test_render_finds_the_disparity_and_the_depth(kind: str, tmp_path: Path) -> None:
    path = write_bag(tmp_path / ("a.bag" if kind == "ros1" else "a"), stereo(), kind)
    values = tmp_path / "v.npy"
    words = ["render", "sgm", str(path), *LEAN, "--values", str(values)]
    assert main([*words, "--out", str(tmp_path / "o.png")]) == 0
    result = np.load(values)
    inner = result[8:-8, 24:-8]
    assert np.nanmedian(inner) == SHIFT
    assert np.mean(np.abs(inner - SHIFT) <= 0.5) > 0.95
    frames = ["--frames", "3", "--out", str(tmp_path / "%02d.png")]
    assert main(["render", "sgm", str(path), *LEAN, *frames]) == 0
    assert len(list(tmp_path.glob("0?.png"))) == 3


def test_images_without_a_partner_are_left_out_and_counted(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", stereo(6, dropped=(1, 4)))
    with closing(opened(bag)) as source:
        assert source.length == 4
        assert any("4 pairs of 6 left and 4 right" in note for note in source.notes)
        for place, index in enumerate((0, 2, 3, 5)):
            raw = source.frame(place).raw
            assert raw and np.array_equal(raw.right, textured_pair(index)[1])


def test_images_more_than_half_a_frame_apart_are_no_pair(tmp_path: Path) -> None:
    late = [
        BagMessage(m.topic, m.kind, m.stamp + 3 * PERIOD // 4 * (m.topic == TOPICS[1]), m.fields)
        for m in stereo(2)[2:4]
    ]
    bag = write_bag(tmp_path / "bag", [*stereo(4)[2:], *late], "sqlite3")
    with closing(opened(bag)) as source:
        assert source.length == 4


def test_pairs_are_made_by_header_stamps_not_by_the_order_of_recording(tmp_path: Path) -> None:
    messages = stereo(4)
    bag = write_bag(tmp_path / "bag", [*messages[:2], *messages[-1:1:-1]], "mcap")
    with closing(opened(bag)) as source:
        raw = source.frame(1).raw
        assert raw and np.array_equal(raw.left, textured_pair(1)[0])


def test_images_without_stamps_are_paired_by_the_time_of_recording(tmp_path: Path) -> None:
    path = tmp_path / "bag.mcap"
    messages = [BagMessage(m.topic, m.kind, m.stamp, m.fields) for m in stereo(3)]
    write_foxglove(path, messages, "json")
    content = path.read_bytes()
    with closing(opened(path)) as source:
        assert source.length == 3
    assert content == path.read_bytes()


PAIRS = [
    ("/camera/infra1/image_rect_raw", "/camera/infra2/image_rect_raw"),
    ("/cam0/image_raw", "/cam1/image_raw"),
    ("/multisense/left/image_mono", "/multisense/right/image_mono"),
    ("/device_0/sensor_0/Infrared_1/image/data", "/device_0/sensor_0/Infrared_2/image/data"),
    ("/leftCamera/image", "/rightCamera/image"),
    ("/zed/l/img", "/zed/r/img"),
]


@pytest.mark.parametrize("topics", PAIRS)
def test_topics_are_found_by_their_names(topics: Sequence[str], tmp_path: Path) -> None:
    others = [image("/depth/image", BEGUN, textured_pair()[0].astype(np.uint16), "16UC1")]
    bag = write_bag(tmp_path / "bag", [*others, *stereo(2, topics, calibrated=False)])
    with closing(opened(bag)) as source:
        assert all(topic in " ".join(source.notes) for topic in topics)
        assert np.array_equal(source.frame(0).left, textured_pair()[0])


def test_an_ambiguous_choice_lists_the_topics(tmp_path: Path) -> None:
    more = stereo(2, ("/rear/left/image_raw", "/rear/right/image_raw"))
    bag = write_bag(tmp_path / "bag", [*stereo(2), *more])
    with pytest.raises(ValueError, match="several pairs of image topics; choose") as e:
        opened(bag)
    assert "/rear/left/image_raw (sensor_msgs/Image, 2)" in str(e.value)
    assert "\n" not in str(e.value)
    with closing(opened(bag, topics="rear/left/image_raw,/rear/right/image_raw")) as source:
        assert source.length == 2
        assert SourceSpec.from_toml(source.spec.to_toml()) == source.spec


def test_topics_without_sides_are_not_guessed(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", stereo(2, ("/front/image", "/rear/image")))
    with pytest.raises(ValueError, match="no two image topics are left and right"):
        opened(bag)
    with pytest.raises(ValueError, match="no image topic /none; choose"):
        opened(bag, topics="/none,/rear/image")


def test_options_of_topics_are_checked(tmp_path: Path) -> None:
    for wrong in ("a,b,c", ",", "a,a", ""):
        with pytest.raises(ValueError, match="topics must be LEFT,RIGHT"):
            SourceSpec("x.bag", topics=wrong)
    Image.fromarray(textured_pair()[0]).save(tmp_path / "left.png")
    with pytest.raises(ValueError, match="topics are those of a robot recording"):
        opened(tmp_path / "left.png", topics="a,b")


def test_words_of_topics() -> None:
    assert words_of("/leftCam/image_raw2") == ("left", "cam", "image", "raw", "2")


def test_rectified_topics_are_not_rectified_again(tmp_path: Path) -> None:
    topics = ("/left/image_rect", "/right/image_rect")
    infos = [
        camera(f"/{side}/camera_info", at, rect=True) for at, side in enumerate(("left", "right"))
    ]
    bag = write_bag(tmp_path / "bag", [*infos, *stereo(2, topics, calibrated=False)])
    with closing(opened(bag)) as source:
        frame = source.frame(0)
        assert frame.raw is None and np.array_equal(frame.left, textured_pair()[0])
        assert frame.calibration and frame.calibration.baseline == pytest.approx(BASELINE)


def test_exchanged_topics_are_named(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", stereo(2))
    with closing(opened(bag, topics=",".join(TOPICS[::-1]))) as source:
        assert any("exchange the topics" in note for note in source.notes)
        assert source.frame(0).calibration is None


def test_a_realsense_recording_has_the_baseline_of_its_transforms(tmp_path: Path) -> None:
    place = "/device_0/sensor_0/Infrared_{}"
    topics = [f"{place.format(n)}/image/data" for n in (1, 2)]
    messages = stereo(2, topics, calibrated=False)
    for side in (0, 1):
        result = camera(f"{place.format(side + 1)}/info/camera_info", side)
        fields = {**result.fields, "P": np.zeros(12), "R": np.zeros(9)}
        messages.append(BagMessage(result.topic, "CameraInfo", BEGUN, fields))
        move = {"translation": (0.05 * side, 0.0, 0.0)}
        messages.append(BagMessage(f"{place.format(side + 1)}/tf/0", "Transform", BEGUN, move))
    bag = write_bag(tmp_path / "realsense.bag", messages, "ros1")
    with closing(opened(bag)) as source:
        known = source.frame(0).calibration
        assert known and known.baseline == pytest.approx(0.05)


COLOUR = np.random.default_rng(5).integers(0, 256, (8, 12, 3), np.uint8)
GREY = COLOUR[..., 0]
ALPHA = np.dstack([COLOUR, GREY])
PLAIN = np.broadcast_to(np.array([200, 60, 20], np.uint8), (8, 12, 3))


def mosaic(pattern: str) -> NDArray[np.uint8]:
    """Return a plain colour as a sensor with a pattern of filters sees it."""
    result = np.zeros((8, 12), np.uint8)
    for at, filtered in enumerate(pattern):
        result[at // 2 :: 2, at % 2 :: 2] = PLAIN[0, 0, "rgb".index(filtered)]
    return result


@pytest.mark.parametrize(
    ("encoding", "stored", "right"),
    [
        ("mono8", GREY, GREY),
        ("8UC1", GREY, GREY),
        ("rgb8", COLOUR, COLOUR),
        ("bgr8", COLOUR[..., ::-1], COLOUR),
        ("rgba8", ALPHA, COLOUR),
        ("bgra8", ALPHA[..., [2, 1, 0, 3]], COLOUR),
        ("mono16", GREY.astype(np.uint16) * 257, GREY),
        ("16UC1", GREY.astype(np.uint16) * 257, GREY),
        *((f"bayer_{p}8", mosaic(p), PLAIN) for p in ("rggb", "bggr", "gbrg", "grbg")),
    ],
)
def test_encodings(
    encoding: str, stored: NDArray[np.generic], right: NDArray[np.uint8], tmp_path: Path
) -> None:
    bag = write_bag(tmp_path / "bag", [image("/camera/image", BEGUN, stored, encoding)])
    with closing(opened(bag, layout="pair")) as source:
        assert np.array_equal(source.frame(0).left, right)


@pytest.mark.parametrize(("encoding", "order"), [("yuv422", (1, 0)), ("yuv422_yuy2", (0, 1))])
def test_luma_and_chroma(encoding: str, order: tuple[int, int], tmp_path: Path) -> None:
    grey = np.dstack([np.full((8, 12), 126, np.uint8), np.full((8, 12), 128, np.uint8)])
    bag = write_bag(tmp_path / "bag", [image("/cam/image", BEGUN, grey[..., order], encoding)])
    with closing(opened(bag, layout="pair")) as source:
        assert np.abs(source.frame(0).left.astype(int) - 128).max() <= 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_compressed_images(kind: str, tmp_path: Path) -> None:
    messages = []
    for index in range(2):
        for side, view in zip(("left", "right"), textured_pair(index), strict=True):
            content = io.BytesIO()
            Image.fromarray(view).save(content, kind)
            topic = f"/{side}/image_raw/compressed"
            stamp = BEGUN + index * PERIOD
            messages.append(packed(topic, stamp, content.getvalue(), kind.lower()))
    bag = write_bag(tmp_path / "bag", messages)
    with closing(opened(bag)) as source:
        result = source.frame(1).left.astype(int) - textured_pair(1)[0]
        assert source.length == 2
        assert np.abs(result).mean() < (0.1 if kind == "PNG" else 10)


def test_an_unknown_encoding_is_named(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", [image("/cam/image", BEGUN, GREY, "nv21")])
    with pytest.raises(ValueError, match="encoding 'nv21' is not read; mono8"):
        opened(bag)


def test_raw_topics_are_preferred_to_compressed_ones(tmp_path: Path) -> None:
    content = io.BytesIO()
    Image.fromarray(textured_pair(9)[0]).save(content, "PNG")
    more = [packed(f"{t}/compressed", BEGUN, content.getvalue(), "png") for t in TOPICS]
    bag = write_bag(tmp_path / "bag", [*stereo(2), *more])
    with closing(opened(bag)) as source:
        assert source.length == 2


@pytest.mark.parametrize("kind", ["ros1", "mcap"])
def test_a_recording_that_was_cut_off_is_read_and_named(kind: str, tmp_path: Path) -> None:
    path = write_bag(tmp_path / ("a.bag" if kind == "ros1" else "a"), stereo(300), kind)
    path = path if path.is_file() else next(path.glob("*.mcap"))
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    with closing(opened(path)) as source:
        assert 10 < source.length < 300
        assert any("cut off" in note for note in source.notes)
        assert source.frame(source.length - 1).left.shape == (HEIGHT, WIDTH)


@pytest.mark.parametrize("kind", ["ros1", "mcap"])
def test_a_recording_cut_off_before_its_images_is_to_be_recovered(
    kind: str, tmp_path: Path
) -> None:
    path = write_bag(tmp_path / ("a.bag" if kind == "ros1" else "a"), stereo(2), kind)
    path = path if path.is_file() else next(path.glob("*.mcap"))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ValueError, match="cut off before its first image; try to recover it"):
        opened(path)


def test_damaged_files_are_named_in_one_line(tmp_path: Path) -> None:
    cases = {
        "a.bag": b"#ROSBAG V1.2\n",
        "b.bag": b"",
        "c.mcap": b"PNG",
        "d.mcap": b"\x89MCAP0\r\n",
        "e.db3": b"SQLite format 3\0" + bytes(4000),
        "f.bag": b"#ROSBAG V2.0\n" + bytes(100),
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name) as error:
            opened(tmp_path / name)
        assert "\n" not in str(error.value)


def test_a_view_in_place_of_a_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE topics (id, name, type, serialization_format)")
        database.execute(
            "CREATE VIEW messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
            "FROM c) SELECT x AS id, 1 AS topic_id, x AS timestamp, x'00' AS data FROM c"
        )
        database.commit()
    with pytest.raises(ValueError, match="without topics and messages"):
        opened(path)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = write_bag(tmp_path / "bag", stereo(1))
    monkeypatch.setattr(opening, "PACKAGES", ("no_such_package",))
    with pytest.raises(Unavailable, match=r"pip install 'wheatstone\[bags\]'"):
        opened(bag)


@pytest.mark.parametrize("kind", ["ros1", "sqlite3", "mcap"])
def test_batch_writes_messages_that_others_read(kind: str, tmp_path: Path) -> None:
    from mcap.reader import make_reader
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    path = write_bag(tmp_path / ("a.bag" if kind == "ros1" else "a"), stereo(3), kind)
    written = tmp_path / "out.mcap"
    words = ["batch", str(path), "--out", str(tmp_path / "o"), *LEAN, "--bag", str(written)]
    assert main(words) == 0
    rows = json.loads((tmp_path / "o" / "summary.json").read_text())
    assert rows
    with written.open("rb") as file:
        listed = [channel.topic for _, channel, _ in make_reader(file).iter_messages()]
    assert sorted(set(listed)) == ["/a/disparity", "/a/points"]
    assert len(listed) == 6
    with AnyReader([written], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        messages: list[tuple[str, int, Any]] = [
            (link.msgtype, time, reader.deserialize(raw, link.msgtype))
            for link, time, raw in reader.messages()
        ]
    disparities = [m for m in messages if m[0].endswith("DisparityImage")]
    assert [time for _, time, _ in disparities] == [BEGUN + n * PERIOD for n in range(3)]
    first = disparities[0][2]
    assert (first.f, first.t) == (pytest.approx(FOCAL), pytest.approx(BASELINE))
    assert (first.min_disparity, first.max_disparity) == (0, 15)
    pixels = first.image.data.view(np.float32).reshape(HEIGHT, WIDTH)
    stored = np.load(min((tmp_path / "o" / "disparity").glob("*.npy")))
    known = np.isfinite(stored)
    assert np.array_equal(pixels[known], stored[known])
    assert np.all(pixels[~known] < first.min_disparity)
    cloud = next(m for m in messages if m[0].endswith("PointCloud2"))[2]
    rows = cloud.data.view(np.float32).reshape(cloud.width, 4)
    assert cloud.width == np.count_nonzero((stored > 0) & (np.arange(WIDTH) - stored >= -0.5))
    assert np.median(rows[:, 2]) == pytest.approx(FOCAL * BASELINE / SHIFT, rel=1e-3)
    assert main(words) == 0  # goes on where the run stopped: nothing to compute


def test_a_bag_of_results_needs_a_disparity_and_the_right_suffix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = write_bag(tmp_path / "a", stereo(1))
    words = ["batch", str(bag), "--out", str(tmp_path / "o"), "--bag"]
    assert main([*words, "out.bag"]) == 2
    assert "--bag is a .mcap file (got .bag)" in capsys.readouterr().err
    assert main([*words, str(next(bag.glob("*.mcap")))]) == 2
    assert "would replace an input" in capsys.readouterr().err


def test_rectify_writes_the_pairs_of_a_recording(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "a.bag", stereo(2), "ros1")
    assert main(["rectify", str(bag), "--out", str(tmp_path / "o")]) == 0
    assert len(list((tmp_path / "o" / "left").glob("*.png"))) == 2


def test_evaluate_judges_a_recording_with_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # its record goes there
    bag = write_bag(tmp_path / "a.bag", stereo(2), "ros1")
    (tmp_path / "a.truth").mkdir()
    for index in range(2):
        np.save(tmp_path / "a.truth" / f"{index:06}.npy", np.full((HEIGHT, WIDTH), SHIFT, "f4"))
    out = tmp_path / "r.json"
    out = tmp_path / "r.json"
    assert main(["evaluate", str(bag), *LEAN[:2], "--json", str(out)]) in (0, 1)
    assert out.is_file()


@pytest.mark.parametrize("tone", ["linear", "percentile"])
def test_the_tone_of_a_recording_is_that_of_its_first_pair(tone: str, tmp_path: Path) -> None:
    messages = []
    for index, most in enumerate((2000, 1500)):
        for side, low in zip(("left", "right"), (1000, 1100), strict=True):
            pixels = np.linspace(low, most, 96).round().astype(np.uint16).reshape(8, 12)
            stamp = BEGUN + index * PERIOD
            messages.append(image(f"/{side}/image_raw", stamp, pixels, "mono16"))
    bag = write_bag(tmp_path / "bag", messages)
    with closing(opened(bag, tone=tone)) as source:
        first, second = source.frame(0), source.frame(1)
        assert first.right is not None
        if tone == "linear":
            assert first.left.max() == 2000 // 257
            return
        extremes = (first.left.min(), first.left.max(), second.left.max())
        assert [int(grey) for grey in extremes] == [0, 255, 128]
        assert first.right.min() == round(100 * 255 / 1000)
        assert all("16 bit 1000..2000 shown as 0..255" in note for note in source.notes[:2])


def test_calibrate_reads_the_board_from_a_recording(tmp_path: Path) -> None:
    board, rig, messages = board_of("chess:9x6", 0.025, None, ""), made_rig(), []
    for index, pose in enumerate(poses(5, seed=6)):
        for topic, view in zip(TOPICS, seen(rig, board, pose), strict=True):
            messages.append(image(topic, BEGUN + index * PERIOD, view))
    bag = write_bag(tmp_path / "bag", messages)
    out = tmp_path / "rig.toml"
    words = ["calibrate", str(bag), "--board", "chess:9x6", "--square", "25mm"]
    assert main([*words, "--out", str(out)]) == 0
    result = read_calibration(out).rig
    assert result and result.baseline == pytest.approx(rig.baseline, rel=0.02)


@pytest.mark.window
def test_a_recording_plays_in_a_window(x_display: dict[str, str], tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "recorded", stereo(count=4))
    words = str(bag), "--disparities", "16", "--variant", "cpu", "--size", "400x300"
    with running(x_display, tmp_path, *words) as program:
        program.press("space")
        first = read_recipe(program.shot(1))
        program.press("period")
        second = read_recipe(program.shot(2))
        code, output = program.quit("q")
    assert code == 0 and "recorded" in output
    assert first and second
    assert second["view"]["frame"] == (first["view"]["frame"] + 1) % 4
    assert first["source"]["left"] == str(bag)


def test_a_packed_recording_is_refused_with_a_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed_bag = tmp_path / "run_0.db3.zstd"
    packed_bag.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(16))
    assert main(["render", "sgm", str(packed_bag), "--out", str(tmp_path / "o.png")]) == 2
    message = f"{packed_bag}: is packed; unpack it with: zstd -d run_0.db3.zstd"
    assert message in capsys.readouterr().err
