"""Files of named values: what OpenCV wrote is read as OpenCV reads it, and nothing hostile is."""

import gzip
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml

from wheatstone.viewer.io.reading import yaml_text
from wheatstone.viewer.io.reading.named_values import LARGEST, read_named_values
from wheatstone.viewer.io.reading.yaml_text import parse_yaml

FORMATS = ("yml", "yaml", "xml", "json", "yml.gz", "xml.gz", "json.gz")
MATRICES = {
    "doubles": np.random.default_rng(1).normal(0, 1e3, (4, 4)),
    "floats": np.array([[1 / 3, -2e-20, 3e30]], np.float32),
    "halves": np.array([[1.5, -0.1]], np.float16),
    "ints": np.array([[2**31 - 1, -(2**31)], [0, 7]], np.int32),
    "shorts": np.array([[-32768], [32767]], np.int16),
    "colours": np.arange(12, dtype=np.uint8).reshape(2, 2, 3),
    "one": np.array([[0.1]]),
}


def matrices(flags: int) -> list[str]:
    """The names of the matrices that OpenCV can write so: no halves in Base64."""
    return [name for name in MATRICES if not (flags and name == "halves")]


def written(path: Path, flags: int = 0) -> Path:
    file = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE | flags)
    for name in matrices(flags):
        file.write(name, MATRICES[name])
    file.write("time", "Mon 1 Jan, 10:00 <&>")
    file.write("width", 640)
    file.write("small", 1e-7)
    file.startWriteStruct("list", cv2.FILE_NODE_SEQ)
    file.write("", 1.25)
    file.write("", np.eye(2))
    file.endWriteStruct()
    file.startWriteStruct("table", cv2.FILE_NODE_MAP)
    file.write("inner", np.eye(3))
    file.endWriteStruct()
    file.release()
    return path


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("flags", [0, cv2.FILE_STORAGE_BASE64], ids=["numbers", "base64"])
def test_what_opencv_wrote_is_read_as_opencv_reads_it(
    tmp_path: Path, name: str, flags: int
) -> None:
    path = written(tmp_path / f"a.{name}", flags)
    content: dict[str, Any] = {**read_named_values(path)}
    theirs = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    for key in matrices(flags):
        ours, expected = content[key], theirs.getNode(key).mat()
        assert isinstance(ours, np.ndarray) and ours.dtype == expected.dtype
        assert ours.reshape(expected.shape).tobytes() == expected.tobytes()
    theirs.release()
    assert (content["width"], content["small"]) == (640.0, 1e-7)
    assert content["time"] == "Mon 1 Jan, 10:00 <&>"
    first, second = content["list"]
    assert first == 1.25 and np.array_equal(second, np.eye(2))
    assert np.array_equal(content["table"]["inner"], np.eye(3))


@pytest.mark.parametrize(
    "header", ["%YAML:1.0\n---\n", "%YAML 1.2\n---\n", "# ours\n%YAML 1.0\n", ""]
)
def test_every_header_of_yaml_is_known(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.yml"
    path.write_text(header + 'f: 1e-5\ng: 010\nt: 1:30\nq: "3"\nn: ~\n')
    expected = {"f": 1e-5, "g": 10.0, "t": "1:30", "q": "3", "n": "~"}
    assert read_named_values(path) == expected


def test_versions_of_opencv_that_write_a_bare_point_in_json_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1., -2., 3.5], "b": 4., "c": "5., 6.]"}')
    assert read_named_values(path) == {"a": [1.0, -2.0, 3.5], "b": 4.0, "c": "5., 6.]"}


def test_lines_hold_numbers_lists_matrices_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "calib.txt"
    path.write_bytes(
        b"K = [1 0,2;\r\n 0 1 3]\r\nP2: 7e2 0\nn=3\nwhen: 9 Jan: 10\xe4\nempty=\nwords\n"
    )
    result = read_named_values(path)
    matrix = result.pop("K")
    assert isinstance(matrix, np.ndarray) and matrix.tolist() == [[1, 0, 2], [0, 1, 3]]
    expected = {"P2": [700.0, 0.0], "n": 3.0, "when": "9 Jan: 10\N{REPLACEMENT CHARACTER}"}
    assert result == {**expected, "empty": ""}


XML = '<?xml version="1.0"?>\n'
Q = "Q: !!opencv-matrix\n  rows: 1\n  cols: 2\n  dt: d\n  data: [ 1., 2. ]\n"
REFUSED = {
    "alias": ("a.yml", "a: &b [1]\nc: [*b, *b]\n", r"aliases .*\(line 2\)"),
    "twice": ("a.yml", "a: 1\nb: 2\na: 3\n", r"'a' stands there twice \(line 3\)"),
    "deep": ("a.yml", "a: 1\nb: " + "[" * 33, r"nested more than 32 deep \(line 2\)"),
    "deeper": ("a.yml", "a: 1\nb: " + "[" * 5000, r"nested more than 32 deep \(line 2\)"),
    "dashes": ("a.yml", "- " * 5000, r"nested more than 32 deep"),
    "documents": ("a.yml", "a: 1\n---\nb: 1\n", r"only one document"),
    "directives": ("a.yml", "%YAML 1.2\n" + "%TAG !a! b\n" * 99, r"directives .*\(line 2\)"),
    "key": ("a.yml", "[1, 2]: 3\n", r"a key must be a word \(line 1\)"),
    "damaged": ("a.yml", "a: 1\nb: [1,,\n", r"no YAML: .*\(line 2\)"),
    "nul": ("a.yml", "a: \0", r"no YAML: control characters"),
    "no names": ("a.yml", "- 1\n", r"no names with values"),
    "not finite": ("a.yml", Q.replace("2.", ".Nan"), r"holds '.Nan'.*\(line 1\)"),
    "infinite": ("a.yml", "a: 1\n" + Q.replace("2.", "1e999"), r"1e999 is too large \(line 6\)"),
    "overflow": ("a.yml", Q.replace("dt: d", "dt: f").replace("2.", "1e39"), r"not finite"),
    "too few": ("a.yml", Q.replace("cols: 2", "cols: 3"), r"1x3 has 3 numbers \(got 2\)"),
    "too many": ("a.yml", Q.replace("cols: 2", "cols: 2147483647"), r"has 2147483647 numbers"),
    "negative": ("a.yml", Q.replace("cols: 2", "cols: -2"), r"cols .* an integer \(got -2"),
    "dt": ("a.yml", Q.replace("dt: d", "dt: 9z"), r"unknown dt '9z'"),
    "byte": ("a.yml", Q.replace("dt: d", "dt: u").replace("2.", "256"), r"of uint8"),
    "lacks": ("a.yml", Q.replace("  dt: d\n", ""), r"lacks dt"),
    "text": ("a.yml", Q.replace("[ 1., 2. ]", "hello"), r"must be numbers"),
    "large yaml": ("a.yml", " " * (yaml_text.LARGEST + 1), r"YAML larger than"),
    "entities": ("a.xml", XML + '<!DOCTYPE a [<!ENTITY b "c">]>', r"document type.*\(line 2\)"),
    "outside": ("a.xml", XML + '<!DOCTYPE a SYSTEM "file:///etc/passwd">', r"document type"),
    "undefined": ("a.xml", XML + "<opencv_storage>&b;</opencv_storage>", r"undefined entity"),
    "open": ("a.xml", XML + "<opencv_storage>" + "<a>" * 5000, r"nested more than 32 deep"),
    "same": ("a.xml", XML + "<opencv_storage><a/>\n<a/></opencv_storage>", r"twice \(line 3\)"),
    "root": ("a.xml", XML + "<svg/>", r"begins with 'svg'"),
    "mismatch": ("a.xml", XML + "<opencv_storage></a>", r"no XML: mismatched tag \(line 2\)"),
    "keys": ("a.json", '{"a": 1, "a": 2}', r"'a' stands twice"),
    "brackets": ("a.json", '{"a": ' + "[" * 5000, r"nested more than 32 deep"),
    "json": ("a.json", '{"a":\n 1', r"no JSON: .*\(line 2\)"),
    "infinity": ("a.json", '{"a": Infinity}', r"Infinity is no number"),
    "huge": ("a.json", '{"a":\n 1e999}', r"inf is too large \(line 2\)"),
    "integer": ("a.json", '{"a": ' + "9" * 400 + "}", r"is too large"),
    "matrix": ("a.json", '{"a":\n{"type_id": "opencv-matrix"}}', r"lacks rows.*\(line 2\)"),
    "bracket": ("a.txt", "b=1\na=[1 2\n3", r"bracket of a is never closed \(line 2\)"),
    "ragged": ("a.txt", "a=[1 2; 3]", r"rows of one length \(line 1\)"),
    "no number": ("a.txt", "a=[1 2; 3 x]", r"'x', which is no number"),
    "both": ("a.txt", "a=1\n\na=2", r"a stands there twice \(line 3\)"),
    "endless": ("a.txt", "a=" + "9" * 1000, r"too large \(line 1\)"),
    "large": ("a.txt", " " * (LARGEST + 1), r"larger than 1 MiB"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_hostile_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    name, text, message = REFUSED[case]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"{path}: .*{message}") as caught:
        read_named_values(path)
    assert len(str(caught.value)) < 1000 and "\n" not in str(caught.value)


def test_an_object_of_python_is_never_made(tmp_path: Path) -> None:
    path, proof = tmp_path / "a.yml", tmp_path / "proof"
    path.write_text(f'a: !!python/object/apply:os.mkdir ["{proof}"]\n')
    assert read_named_values(path) == {"a": [str(proof)]}
    assert not proof.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b" " * 2**24, mtime=0), "larger than 1 MiB unpacked"),
        (gzip.compress(b"a: 1\n", mtime=0)[:-9], "truncated gzip"),
        (b"\x1f\x8bhello", "damaged gzip"),
    ],
    ids=("large", "cut", "damaged"),
)
def test_gzip_is_bounded(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.yml.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_named_values(path)


@pytest.mark.parametrize("suffix", [".txt", ".yml", ".xml", ".json"])
@pytest.mark.parametrize("repeated", ["\n", " ", "cam0=[", "cam0=[\n", "[", "a: ", "9", "<", '{"'])
def test_a_mebibyte_of_anything_ends_soon(tmp_path: Path, suffix: str, repeated: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_text((repeated * LARGEST)[: LARGEST if suffix != ".yml" else yaml_text.LARGEST])
    begun = time.process_time()
    try:
        read_named_values(path)
    except ValueError as error:
        assert len(str(error)) < 1000
    assert time.process_time() - begun < 5


def test_yaml_is_read_alike_without_the_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "LOADER", yaml.SafeLoader)
    result: Any = parse_yaml(Q)
    assert np.array_equal(result["Q"], [[1, 2]])
    with pytest.raises(ValueError, match="aliases"):
        parse_yaml("a: &b 1\nc: *b\n")
