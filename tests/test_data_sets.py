"""Public data sets, built small as they are unpacked: how they are recognised and judged."""

import json
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import KITTI, own_measures
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.data_sets import KITTI_2015, MIDDLEBURY_V3
from wheatstone.viewer.io.sources.value_files import read_values

SHIFT, HEIGHT, WIDTH = 6, 41, 90
SCENE = np.random.default_rng(7).integers(0, 256, (HEIGHT, WIDTH + SHIFT), np.uint8)
LEFT, RIGHT = SCENE[:, :WIDTH], SCENE[:, SHIFT:]
TRUTH = np.full((HEIGHT, WIDTH), SHIFT, np.float32)
HIDDEN = np.zeros((HEIGHT, WIDTH), np.uint8)
HIDDEN[:, :SHIFT] = 255
LEAN = ("--variant", "reference", "--no-subpixel", "--disparities", "16")


def write(path: Path, pixels: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, pixels)
    else:
        assert cv2.imwrite(str(path), pixels)


def views(left: Path, right: Path) -> None:
    write(left, LEFT)
    write(right, RIGHT)


def middlebury_v3(root: Path) -> None:
    for size in "QH":
        for name in ("Piano", "PianoL"):
            place = root / f"training{size}" / name
            views(place / "im0.png", place / "im1.png")
            write(place / "disp0GT.pfm", TRUTH)
            write(place / "mask0nocc.png", 255 - HIDDEN // 2)
            (place / "calib.txt").write_text("cam0=[1 0 2]\nndisp=20\n")


def middlebury_2021(root: Path) -> None:
    place = root / "data" / "artroom1"
    views(place / "im0.png", place / "im1.png")
    write(place / "ambient" / "L0" / "im0e0.png", LEFT)
    write(place / "disp0.pfm", TRUTH)
    write(place / "disp1.pfm", TRUTH)


def eth3d(root: Path) -> None:
    place = root / "two_view_training" / "forest_1s"
    views(place / "im0.png", place / "im1.png")
    apart = root / "two_view_training_gt" / "forest_1s"
    write(apart / "disp0GT.pfm", TRUTH)
    write(apart / "mask0nocc.png", 255 - HIDDEN // 2)


def kitti_2015(root: Path) -> None:
    place, stored = root / "training", (TRUTH * 256).astype(np.uint16)
    for frame in ("000000_10.png", "000000_11.png"):
        views(place / "image_2" / frame, place / "image_3" / frame)
    write(place / "disp_occ_0" / "000000_10.png", stored)
    write(place / "disp_noc_0" / "000000_10.png", np.where(HIDDEN, 0, stored))
    objects = np.zeros((HEIGHT, WIDTH), np.uint8)
    objects[10:20, 30:50] = 3
    write(place / "obj_map" / "000000_10.png", objects)


def kitti_2012(root: Path) -> None:
    place, stored = root / "training", (TRUTH * 256).astype(np.uint16)
    views(place / "image_0" / "000000_10.png", place / "image_1" / "000000_10.png")
    write(place / "disp_occ" / "000000_10.png", stored)
    write(place / "disp_noc" / "000000_10.png", np.where(HIDDEN, 0, stored))


def sintel(root: Path) -> None:
    place = root / "training"
    name = Path("alley_1") / "frame_0001.png"
    views(place / "clean_left" / name, place / "clean_right" / name)
    packed = np.zeros((HEIGHT, WIDTH, 3), np.uint8)  # blue, green, red: 4 + 128 / 64 pixels
    packed[..., 2], packed[..., 1] = 1, 128
    write(place / "disparities" / name, packed)
    write(place / "occlusions" / name, np.zeros_like(HIDDEN))
    write(place / "outofframe" / name, HIDDEN)


def scene_flow(root: Path) -> None:
    place = Path("TRAIN") / "A" / "0000"
    sides = (root / "frames_cleanpass" / place / side / "0006.png" for side in ("left", "right"))
    views(*sides)
    write(root / "disparity" / place / "left" / "0006.pfm", TRUTH)


def driving_stereo(root: Path) -> None:
    name = Path("2018-07-09") / "a.jpg"
    for side, pixels in (("left", LEFT), ("right", RIGHT)):
        write(root / f"{side}-image-half-size" / name, pixels)
    truth = root / "disparity-map-half-size" / name.with_suffix(".png")
    write(truth, (TRUTH * 256).astype(np.uint16))


def booster(root: Path) -> None:
    place = root / "train" / "balanced" / "Bottle"
    for image in ("im0.png", "im1.png"):
        views(place / "camera_00" / image, place / "camera_02" / image)
    unknown = TRUTH.copy()
    unknown[:, -9:] = 0  # which is no disparity in this set
    write(place / "disp_00.npy", unknown)
    write(place / "mask_00.png", 255 - HIDDEN)


def spring(root: Path) -> None:
    """Two frames; ground truth has twice the rows and columns, and the views' pixels as unit."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    place = root / "train" / "0001"
    for number in ("0001", "0002"):
        left, right = (f"frame_{side}/frame_{side}_{number}.png" for side in ("left", "right"))
        views(place / left, place / right)
        path = place / "disp1_left" / f"disp1_left_{number}.dsp5"
        path.parent.mkdir(exist_ok=True)
        between = np.full((2 * HEIGHT, 2 * WIDTH), 99, np.float32)
        between[::2, ::2] = TRUTH
        with h5py.File(path, "w") as file:
            file.create_dataset("disparity", data=between, compression="gzip")


UNPACKED = {
    "Middlebury v3": (middlebury_v3, "", "middlebury", "seen", 4),
    "Middlebury 2014 and 2021": (middlebury_2021, "", "middlebury", "seen", 1),
    "ETH3D two-view": (eth3d, "", "eth3d", "seen", 1),
    "KITTI 2015": (kitti_2015, "", "kitti", "known", 1),
    "KITTI 2012": (kitti_2012, "training", "kitti", "known", 1),
    "Sintel": (sintel, "", "middlebury", "known", 1),
    "Scene Flow": (scene_flow, "", "middlebury", "known", 1),
    "DrivingStereo": (driving_stereo, "", "middlebury", "known", 1),
    "Spring": (spring, "train", "middlebury", "known", 2),
    "Booster": (booster, "train/balanced", "middlebury", "known", 2),
}
SEEN = 100 * (WIDTH - SHIFT) / WIDTH


@pytest.mark.parametrize("name", UNPACKED)
def test_a_set_is_read_as_it_is_unpacked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack, inner, convention, region, count = UNPACKED[name]
    unpack(tmp_path / "set")
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", str(tmp_path / "set" / inner), *LEAN, "--json", "e.json"]
    assert main(words) == 0, capsys.readouterr().err
    found = json.loads(Path("e.json").read_text())
    facts = found["data_set"], found["convention"], found["region"], len(found["pairs"])
    assert facts == (name, convention, region, count)
    seen = [*words, "--region", "seen", "--restart"]
    if name == "Spring":
        assert all(pair["figures"]["bad-1"] < 2 * (100 - SEEN) for pair in found["pairs"])
    elif name != "DrivingStereo":  # whose pictures are JPEGs
        assert main(seen) == 0
        known = SEEN - (100 * 9 / WIDTH if name == "Booster" else 0)
        for pair in json.loads(Path("e.json").read_text())["pairs"]:
            assert pair["judged"] == pytest.approx(known, abs=1e-3)
            assert pair["figures"]["bad-1"] == 0 and pair["figures"]["A99"] == 0
    header = capsys.readouterr().out
    assert ("foreground" in header) == (name == "KITTI 2015")
    assert ("weighted mean" in header) == (name in ("KITTI 2015", "Middlebury v3"))


def test_other_files_than_those_of_spring_are_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    names = ("text", "cube", "words", "absent", "linked", "external", "virtual", "huge")
    for name in names[1:]:
        with h5py.File(tmp_path / f"{name}.dsp5", "w") as file:
            if name == "cube":
                file.create_dataset("disparity", data=np.zeros((2, 4, 4)))
            elif name == "words":
                file.create_dataset("disparity", data=b"words")
            elif name == "linked":
                file["disparity"] = h5py.ExternalLink("cube.dsp5", "disparity")
            elif name == "external":
                file.create_dataset("disparity", (4, 4), "f4", external=[("/etc/passwd", 0, 64)])
            elif name == "virtual":
                layout = h5py.VirtualLayout((2, 4), "f4")
                layout[0] = h5py.VirtualSource("cube.dsp5", "disparity", (4,))
                file.create_virtual_dataset("disparity", layout)
            elif name == "huge":
                file.create_dataset("disparity", (10**6, 10**6), "f4", chunks=(64, 64))
    (tmp_path / "text.dsp5").write_bytes(b"no file of Spring")
    for name in names:
        with pytest.raises(ValueError, match=rf"{name}\.dsp5: ") as error:
            read_values(tmp_path / f"{name}.dsp5")
        assert "\n" not in str(error.value)


def test_d1_is_split_into_background_and_foreground() -> None:
    """KITTI 2015: D1-bg and D1-fg average D1 over the background, and over obj_map's objects.

    Five pixels of disparity 100: errors 0, 6 (more than 3 px and 5 %), 4 (only more than 3 px) in
    the background, 10 and 0 in the foreground. Out-Noc of KITTI 2012 counts more than 3 px.
    """
    truth = np.full((1, 5), 100, np.float32)
    disparity = truth + np.array([[0, 6, 4, 10, 0]], np.float32)
    objects = np.array([[False, False, False, True, True]])
    mask = np.ones((1, 5), bool)
    found = own_measures(KITTI, disparity, truth, mask, 200, objects)
    assert found["D1-bg"] == pytest.approx(100 / 3) and found["D1-fg"] == 50
    assert found["bad-3"] == 60 and found["foreground"] == 40
    unknown = own_measures(KITTI, disparity, truth, mask, 200, None)
    assert np.isnan([unknown["D1-bg"], unknown["D1-fg"], unknown["foreground"]]).all()


def test_means_are_weighted_as_published() -> None:
    """Middlebury v3: five difficult pairs count half. KITTI 2015: every pixel counts the same."""
    weights = [
        MIDDLEBURY_V3.weight(f"trainingQ/{n}", "bad-2", 9, None) for n in ("Piano", "PianoL")
    ]
    assert weights == [1, 0.5]
    measures = ("D1", "D1-bg", "D1-fg")
    assert [KITTI_2015.weight("a", each, 200, 25.0) for each in measures] == [200, 150, 50]


def unpack_kitti_test(root: Path, name: str, count: int) -> None:
    folders = ("image_2", "image_3") if name == "kitti2015" else ("image_0", "image_1")
    content = [cv2.imencode(".png", side)[1].tobytes() for side in (LEFT[:9, :30], RIGHT[:9, :30])]
    for folder, picture in zip(folders, content, strict=True):
        (root / "testing" / folder).mkdir(parents=True)
        for number in range(count):
            (root / "testing" / folder / f"{number:06}_10.png").write_bytes(picture)
            (root / "testing" / folder / f"{number:06}_11.png").write_bytes(picture)


def unpack_pairs(root: Path, folder: str, count: int) -> None:
    for number in range(count):
        place = root / folder / f"pair{number}"
        views(place / "im0.png", place / "im1.png")


@pytest.mark.parametrize(
    ("name", "count", "first"),
    [
        ("kitti2012", 195, "000000_10.png"),
        ("kitti2015", 200, "disp_0/000000_10.png"),
        ("middlebury3", 15, "trainingH/pair0/disp0mine{}.pfm"),
        ("eth3d", 27, "low_res_two_view/pair0.pfm"),
    ],
)
def test_an_archive_is_as_the_server_defines_it(
    name: str, count: int, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = tmp_path / "set", tmp_path / "results.zip"
    if name.startswith("kitti"):
        unpack_kitti_test(root, name, count)
    else:
        unpack_pairs(root, "trainingH" if name == "middlebury3" else "two_view_training", count)
    words = ["submit", name, str(root), "--out", str(out), "--method", "mine"]
    words += ["--variant", "cpu", "--disparities", "16", "--p1", "10"]
    assert main(words) == 0, capsys.readouterr().err
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(names) == (count if name.startswith("kitti") else 2 * count)
        assert names[0] == first.format("") or names[0] == first.format("_s")
        archive.extractall(tmp_path / "there")
        texts = [archive.read(each).decode() for each in names if each.endswith(".txt")]
    result = read_values(tmp_path / "there" / names[0])
    assert result.encoding == ("16 bits" if name.startswith("kitti") else "floats")
    known = np.isfinite(result.pixels)
    assert np.median(result.pixels[known]) == SHIFT
    assert all(float(text.removeprefix("runtime ")) > 0 for text in texts)
    assert not list(tmp_path.glob("*.parts"))


def test_a_submission_of_too_few_pairs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack_pairs(tmp_path / "set", "trainingQ", 3)
    out = str(tmp_path / "r.zip")
    for words, says in (
        (("middlebury3", str(tmp_path / "set"), "--out", out), "has 15 pairs (found 3)"),
        (("eth3d", str(tmp_path / "set"), "--out", out), "no pairs of eth3d"),
        (("middlebury3", str(tmp_path / "set"), "--out", str(tmp_path / "r.7z")), "15 pairs"),
    ):
        assert main(["submit", *words]) == 2
        assert says in capsys.readouterr().err and not Path(out).exists()


def test_a_stopped_submission_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = tmp_path / "set", tmp_path / "r.zip"
    unpack_pairs(root, "trainingQ", 15)
    whole = (root / "trainingQ" / "pair14" / "im1.png").read_bytes()
    (root / "trainingQ" / "pair14" / "im1.png").write_bytes(whole[:50])
    words = ["submit", "middlebury3", str(root), "--out", str(out), "--variant", "cpu"]
    words += ["--disparities", "16"]
    assert main(words) == 1 and not out.exists()
    (root / "trainingQ" / "pair14" / "im1.png").write_bytes(whole)
    assert main(words) == 0
    assert "14 of 15 pairs were done before" in capsys.readouterr().err and out.is_file()
