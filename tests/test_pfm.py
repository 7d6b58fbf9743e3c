"""PFM: however the header's last line ends, pixels are the last bytes of the file."""

from pathlib import Path

import numpy as np
import pytest

from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.value_files import read_values

VALUES = np.arange(35, dtype=np.float32).reshape(5, 7) + np.float32(0.25)
HEADERS = (
    b"Pf\n7 5\n-1\n",
    b"Pf\n7 5\n-1.0\n",
    b"Pf \n7 5 \n-1.000000 \n",
    b"Pf\r\n7 5\r\n-1.0\r\n",
    b"Pf\n7\n5\n-1\n",
    b"Pf 7 5 -1 ",
    b"Pf\r7 5\r-1\r",
    b"Pf\n# by hand\n7 5 # size\n-1.0\n",
    b"Pf\n7 5\n-1.0 # little endian\n",
    b"Pf\n7 5\n-1.0\n# last\n",
    b"Pf\n7 5\n-1.0\t \r\n",
    b"Pf\n7 5\n-1.0\n\n",
)


def pixels(order: str = "<f4", channels: int = 1) -> bytes:
    values = VALUES[::-1] if channels == 1 else np.repeat(VALUES[::-1, :, None], channels, 2)
    return values.astype(order).tobytes()


@pytest.mark.parametrize("header", HEADERS)
def test_values_are_not_shifted(tmp_path: Path, header: bytes) -> None:
    (tmp_path / "a.pfm").write_bytes(header + pixels())
    assert np.array_equal(read_values(tmp_path / "a.pfm").pixels, VALUES)
    (tmp_path / "a.pfm").write_bytes(header.replace(b"-1", b"1") + pixels(">f4"))
    assert np.array_equal(read_values(tmp_path / "a.pfm").pixels, VALUES)


@pytest.mark.parametrize("header", HEADERS[:-1])  # the last one could be a plain one
@pytest.mark.parametrize("missing", [1, 2, 4])
def test_a_missing_byte_does_not_shift_the_others(
    tmp_path: Path, header: bytes, missing: int
) -> None:
    (tmp_path / "a.pfm").write_bytes(header + pixels()[:-missing])
    with pytest.raises(ValueError, match=r"a\.pfm: "):
        read_values(tmp_path / "a.pfm")


def test_bytes_after_the_pixels_are_possible_after_a_plain_header(tmp_path: Path) -> None:
    (tmp_path / "a.pfm").write_bytes(b"Pf\n7 5\n-1\n" + pixels() + b"more")
    assert np.array_equal(read_values(tmp_path / "a.pfm").pixels, VALUES)
    (tmp_path / "a.pfm").write_bytes(b"Pf\n7 5\n-1 \n" + pixels() + b"more")
    with pytest.raises(ValueError, match="144 bytes of pixels where its header says 140"):
        read_values(tmp_path / "a.pfm")


@pytest.mark.parametrize("scale", [b"0", b"-0.0"])
def test_a_scale_of_zero_does_not_give_the_byte_order(tmp_path: Path, scale: bytes) -> None:
    (tmp_path / "a.pfm").write_bytes(b"Pf\n7 5\n" + scale + b"\n" + pixels())
    with pytest.raises(ValueError, match="its scale is 0, whose sign does not give the byte order"):
        read_values(tmp_path / "a.pfm")


@pytest.mark.parametrize("ending", [b"\n", b" \n", b"\r\n"])
def test_images_are_not_shifted(tmp_path: Path, ending: bytes) -> None:
    wanted = np.rint(VALUES).astype(np.uint8)
    (tmp_path / "a.pfm").write_bytes(b"Pf\n7 5\n-1" + ending + pixels())
    assert np.array_equal(read_image(tmp_path / "a.pfm").pixels, wanted)
    (tmp_path / "a.pfm").write_bytes(b"PF\n7 5\n-1" + ending + pixels(channels=3))
    assert np.array_equal(read_image(tmp_path / "a.pfm").pixels, np.stack([wanted] * 3, -1))
