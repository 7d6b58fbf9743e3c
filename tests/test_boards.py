"""Calibration boards: their words, their geometry, their corners in images, and on paper."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.board_scenes import camera, photographed, texture, turn
from wheatstone.viewer.cli.calibrate.printing import board_page
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.cameras.board_corners import NO_CORNERS, Corners, find_corners, turned
from wheatstone.viewer.io.cameras.board_views import BoardView, find_board, find_boards
from wheatstone.viewer.io.cameras.boards import Board, board_of, length

CHARUCO = board_of("charuco:5x7", 0.03, 0.021, "4x4_50")
CHESS = board_of("chess:5x4", 0.02, None, "")
SIZE = (320, 240)


def corners(*places: tuple[int, float, float]) -> Corners:
    ids, x, y = zip(*places, strict=True)
    return Corners(np.array(ids, np.int64), np.array([x, y], np.float32).T)


def test_a_board_is_counted_in_squares_or_in_inner_corners() -> None:
    assert (CHARUCO.columns, CHARUCO.rows, CHARUCO.grid) == (5, 7, (4, 6))
    assert (CHESS.columns, CHESS.rows, CHESS.grid) == (6, 5, (5, 4))
    assert str(CHARUCO) == "charuco:5x7" and str(CHESS) == "chess:5x4"
    assert CHESS.size == pytest.approx((0.12, 0.1))
    assert CHESS.points[[0, 4, 5]].tolist() == pytest.approx(
        np.array([[0.02, 0.02, 0], [0.1, 0.02, 0], [0.02, 0.04, 0]])
    )


@pytest.mark.parametrize(
    "text, metres", [("30mm", 0.03), ("3cm", 0.03), ("0.03m", 0.03), ("1 in", 0.0254), (".5m", 0.5)]
)
def test_a_length_has_a_unit(text: str, metres: float) -> None:
    assert length(text) == pytest.approx(metres, abs=1e-12)


@pytest.mark.parametrize("message", ["30", "mm", "-3mm", "3e1mm", "0mm", "99m", "3 0mm", "٣mm", ""])
def test_what_is_no_length_is_refused(message: str) -> None:
    with pytest.raises(ValueError, match="length"):
        length(message)


@pytest.mark.parametrize(
    "message, complaint",
    [
        ("charuco", "a board is charuco:11x8"),
        ("charuco:11x", "a board is charuco:11x8"),
        ("chess:6x6", "as wide as high"),
        ("chess:3x2", "at least 12 inner corners"),
        ("charuco:2x40", "3 to 100 squares a side"),
        ("chess:120x9", "3 to 100 squares a side"),
        ("charuco:40x9", "needs 180 markers"),
    ],
)
def test_a_board_that_cannot_be_used_is_refused(message: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        board_of(message, 0.03, None, "5x5_100")


def test_markers_fit_their_squares_and_come_from_a_known_dictionary() -> None:
    with pytest.raises(ValueError, match=r"smaller than the squares \(got 30mm in 30mm"):
        board_of("charuco:5x7", 0.03, 0.03, "5x5_100")
    with pytest.raises(ValueError, match=r"dictionaries are 4x4_50, .* \(got '9x9_1'"):
        board_of("charuco:5x7", 0.03, None, "9x9_1")
    assert board_of("charuco:5x7", 0.03, None, "5x5_100").marker == pytest.approx(0.022)


@pytest.mark.parametrize("kind", ["charuco", "charuco-legacy"])
@pytest.mark.parametrize("rows", [6, 7])
def test_a_board_is_black_where_opencv_draws_it_black(kind: str, rows: int) -> None:
    import cv2

    board = board_of(f"{kind}:5x{rows}", 0.03, 0.018, "4x4_50")
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    pattern = cv2.aruco.CharucoBoard((5, rows), 0.03, 0.018, words)
    pattern.setLegacyPattern(kind == "charuco-legacy")
    drawn = pattern.generateImage((250, 50 * rows), marginSize=0, borderBits=1)
    assert np.array_equal(texture(board, 50), drawn)


@pytest.mark.parametrize("board", [CHARUCO, board_of("charuco-legacy:5x6", 0.03, None, "4x4_50")])
def test_markers_lead_to_corners_within_a_fifth_of_a_pixel(board: Board) -> None:
    import cv2

    lens = camera(400.0, 161.0, 118.0, -0.1, 0.02, 0.0, 0.0)
    rotation = turn(0.2, -0.25, 0.1)
    at = np.array([-0.02, 0.01, 0.4]) - rotation @ np.array([*board.size, 0]) / 2
    grey = photographed(texture(board, 60), board, lens, (rotation, at), SIZE)
    result = find_corners(board, grey)
    points = board.points[result.ids].astype(np.float64)
    true, _ = cv2.projectPoints(
        points, cv2.Rodrigues(rotation)[0], at, lens.matrix, lens.coefficients
    )
    off = result.places - true.reshape(-1, 2)
    assert len(result) >= len(board.points) - 2
    assert np.abs(off).max() < 0.2
    assert np.abs(off.mean(axis=0)).max() < 0.03  # half a pixel, where OpenCV's places are taken


def test_a_partly_hidden_board_gives_the_corners_that_are_seen() -> None:
    grey = texture(CHARUCO, 40)
    result = find_corners(CHARUCO, np.ascontiguousarray(grey[:, :130]))
    assert set(result.ids % 4) == {0, 1} and len(result) == 12  # of 4 columns those at 40 and 80
    assert result.places[:2] == pytest.approx(np.array([[39.5, 39.5], [79.5, 39.5]]), abs=0.1)


def test_a_blurred_board_is_found_by_another_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV's detector by symmetry finds nothing, nor do its markers without a second search."""
    import cv2

    monkeypatch.setattr(cv2, "findChessboardCornersSB", lambda *_, **__: (False, None))

    lens, rotation = camera(500.0, 320.0, 180.0, 0.0, 0.0, 0.0, 0.0), turn(0.5, 0.3, 0.1)
    chess = board_of("chess:9x6", 0.025, None, "")
    for board, away in ((chess, 1.3), (board_of("charuco:11x8", 0.03, None, "5x5_100"), 0.62)):
        at = np.array([0.0, 0.0, away]) - rotation @ np.array([*board.size, 0]) / 2
        sharp = photographed(texture(board, 60), board, lens, (rotation, at), (640, 360))
        blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 1.4), np.uint8)
        result = find_corners(board, blurred)
        assert len(result) >= 0.75 * len(board.points)  # from there on no further search is made
        true, _ = cv2.projectPoints(
            board.points[result.ids], rotation, at, lens.matrix, lens.coefficients
        )
        ways = turned(board, result)
        off = [np.linalg.norm(way.places - true.reshape(-1, 2), axis=1) for way in ways]
        assert min(float(np.median(each)) for each in off) < 0.15


@pytest.mark.parametrize("size", [(1, 1), (5, 3), (64, 48)])
@pytest.mark.parametrize("board", [CHARUCO, CHESS])
def test_in_images_without_a_board_none_is_found(board: Board, size: tuple[int, int]) -> None:
    noise = np.random.default_rng(2).integers(0, 256, size, np.uint8)
    assert len(find_corners(board, noise)) == 0
    assert len(find_corners(board, np.zeros(size, np.uint8))) == 0


def test_a_large_image_is_looked_at_smaller_but_measured_as_it_is() -> None:
    import cv2

    fine = cv2.copyMakeBorder(
        texture(CHESS, 300), 300, 300, 500, 500, cv2.BORDER_CONSTANT, value=255
    )
    assert fine.size > 4_000_000
    result = find_corners(CHESS, fine)
    y, x = np.divmod(np.arange(20), 5)
    true = np.stack([500 + 300 * (x + 1), 300 + 300 * (y + 1)], axis=1) - 0.5
    assert min(np.abs(way.places - true).max() for way in turned(CHESS, result)) < 0.05


def test_a_chessboard_is_numbered_alike_in_both_images() -> None:
    import cv2

    board = board_of("chess:5x4", 0.02, None, "")
    grey = cv2.copyMakeBorder(texture(board, 30), 30, 30, 60, 60, cv2.BORDER_CONSTANT, value=255)
    turned_round = np.ascontiguousarray(grey[::-1, ::-1])  # colours of a 6x5 board differ so
    shifted = np.roll(grey, 3, axis=1)
    view = find_board(board, ("a", grey, shifted))
    assert view.right.places - view.left.places == pytest.approx(
        np.tile([3.0, 0.0], (20, 1)), abs=0.1
    )
    other = find_board(board, ("b", grey, turned_round))
    apart = other.right.places - other.left.places
    assert np.linalg.norm(apart, axis=1).max() < 2  # the same places, not their mirror images


def test_a_view_counts_by_the_corners_that_both_images_show() -> None:
    first = Corners(np.arange(3, 23), np.zeros((20, 2), np.float32))
    later = Corners(np.arange(10, 30), np.ones((20, 2), np.float32))
    view = BoardView("one", first, later, SIZE)
    assert view.common.tolist() == list(range(10, 23)) and view.why == ""
    few = BoardView("two", first, Corners(np.arange(12, 32), later.places), SIZE)
    assert few.why == "11 corners are in both images; 12 are needed"
    assert BoardView("", first, NO_CORNERS, SIZE).why == "no board found in the right image"
    assert BoardView("", NO_CORNERS, first, SIZE).why == "no board found in the left image"
    assert BoardView("", NO_CORNERS, NO_CORNERS, SIZE).why == "no board found in either image"


def test_corners_are_looked_up_by_their_numbers() -> None:
    result = corners((2, 10.0, 20.0), (5, 11.0, 21.0), (9, 12.0, 22.0))
    assert result.of(np.array([5, 9])).tolist() == [[11.0, 21.0], [12.0, 22.0]]


def test_several_threads_keep_the_order_of_the_pairs() -> None:
    grey = texture(CHARUCO, 40)
    pairs = [(f"{n}", grey[: 280 - 40 * n], grey) for n in range(5)]
    listed = list(find_boards(CHARUCO, iter(pairs), threads=3))
    assert [view.name for view in listed] == ["0", "1", "2", "3", "4"]
    assert [len(view.left) for view in listed] == [24, 20, 16, 12, 8]


def on_paper(pdf: bytes, dots: int) -> NDArray[np.uint8]:
    """Draw the first shape of a page, so many dots a millimetre, from the numbers in the file."""
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    scale = re.search(rb"stream\n([\d.]+) 0 0 -([\d.]+) 0 ([\d.]+) cm\n", pdf)
    assert box and scale
    width, height = (float(n) * 25.4 / 72 for n in box.groups())
    assert [float(n) * 25.4 / 72 for n in scale.groups()] == pytest.approx([1, 1, height], abs=1e-5)
    page = np.full((round(height * dots), round(width * dots)), 255, np.uint8)
    board = pdf[scale.end() :].partition(b"\nf\n")[0]
    for numbers in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re", board):
        x, y, w, h = (float(n) * dots for n in numbers)
        page[round(y) : round(y + h), round(x) : round(x + w)] = 0
    return page


@pytest.mark.parametrize("paper, lies", [("a4", (210, 297)), ("letter", (279.4, 215.9))])
def test_a_printed_board_has_its_true_size(paper: str, lies: tuple[float, float]) -> None:
    upright = paper == "a4"
    board = board_of("charuco:5x7" if upright else "charuco:8x6", 0.03, 0.021, "5x5_100")
    pdf = board_page(board, paper).to_pdf()
    page = on_paper(pdf, dots=10)
    assert page.shape == (round(lies[1] * 10), round(lies[0] * 10))
    result = find_corners(board, page)
    assert len(result) == len(board.points)
    true = board.points[:, :2] * 1e4  # 10 dots a millimetre
    assert result.places - result.places[0] == pytest.approx(true - true[0], abs=0.15)
    assert b"/PrintScaling /None" in pdf
    assert f"--board {board} --square 30mm --marker 21mm --dictionary 5x5_100".encode() in pdf


def test_the_table_of_a_pdf_tells_where_its_objects_are() -> None:
    pdf = board_page(CHESS, "a4").to_pdf()
    begin = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    table = pdf[begin:].splitlines()
    assert table[:2] == [b"xref", b"0 5"]
    for number, line in enumerate(table[3:7], 1):
        assert pdf[int(line.split()[0]) :].startswith(b"%d 0 obj" % number)
    content = pdf.partition(b"stream\n")[2].partition(b"\nendstream")[0]
    assert b"/Length %d >>" % len(content) in pdf


def test_a_board_too_large_for_the_paper_says_what_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "board.pdf"
    texts = ["calibrate", "--board", "charuco:11x8", "--square", "30mm", "--print", str(out)]
    assert main(texts) == 2 and not out.exists()
    complaint = capsys.readouterr().err
    assert "330 x 240 mm and does not fit a4" in complaint and "--paper a3" in complaint
    largest = re.search(r"squares of at most ([\d.]+mm)", complaint)
    assert largest and largest[1] == "22.5mm"  # of 8 squares in 210 - 30 mm of height
    assert main([*texts[:4], largest[1], *texts[5:]]) == 0 and out.read_bytes()[:5] == b"%PDF-"
    assert main([*texts, "--paper", "a3"]) == 0


@pytest.mark.parametrize(
    "text",
    ["chess:9x6", "9x6", "chessboard 9x6", "9 x 6", "chessboard(9,6)", "Chess : 9 X 6", "9\u00d76"],
)
def test_a_chessboard_is_understood_in_every_usual_spelling(text: str) -> None:
    board = board_of(text, 0.025, None, "")
    assert (board.kind, board.grid) == ("chess", (9, 6))
    assert board_of(f"ChArUco {board.columns}x{board.rows}", 0.03, None, "5x5_100").columns == 10
