"""What the server makes of messages whose fields are as large, long or deep as can be."""

import json
from collections.abc import Iterator, Mapping

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is missing: pip install 'wheatstone[serve]'")

from wheatstone.viewer.window.serving.messages import FIELDS, done_by, read_message

DIGITS = ("9" * 400, "9" * 5000)  # more than a float has, and more than Python converts
EXTREMES = (
    *(f"{sign}{digits}" for sign in ("", "-") for digits in DIGITS),
    *("1e999", "-1e999", "1e308", "NaN", "Infinity", "-Infinity"),
    *("null", "true", "[]", "{}", '""', "-1", "0.5"),
    *("[" * 20_000, "[" * 500 + "]" * 500, '{"x":' * 500 + "1" + "}" * 500),
    json.dumps("x" * 60_000),
    json.dumps(["x" * 60_000]),
    json.dumps(["x"] * 10_000),
    json.dumps("\ud800"),
)
"""Values of a field in JSON, or not even that."""
GOOD: Mapping[str, Mapping[str, object]] = {
    "ack": {"id": 1},
    "key": {"key": "q", "code": "KeyQ"},
    "text": {"text": "x"},
    "paste": {"text": "x"},
    "pointer": {"kind": "leave", "x": 1, "y": 1},
    "wheel": {"x": 1, "y": 1, "dx": 0, "dy": 1},
    "resize": {"width": 640, "height": 480, "scale": 1},
    "focus": {"focused": True},
    "visible": {"visible": True},
    "codec": {"codec": "auto"},
    "drop": {"ids": []},
}
"""Messages that are right, by their type; those without fields are omitted."""


def damaged(kind: str) -> Iterator[str]:
    good = {"type": kind, "n": 1, **GOOD.get(kind, {})}
    for name in ("n", *FIELDS[kind]):
        rest = json.dumps({key: value for key, value in good.items() if key != name})[:-1]
        yield from (f'{rest}, "{name}": {extreme}}}' for extreme in EXTREMES)


@pytest.mark.parametrize("kind", FIELDS)
def test_no_field_of_a_message_takes_what_is_beyond_its_bounds(kind: str) -> None:
    read_message(json.dumps({"type": kind, "n": 1, **GOOD.get(kind, {})}))
    for each in damaged(kind):
        try:
            message = read_message(each)
        except ValueError:
            continue
        done_by(message)
        numbers = [value for value in message.values() if isinstance(value, int | float)]
        assert all(abs(number) < 2**32 for number in numbers), each[:100]
        assert all(len(text) <= 4096 for text in message.values() if isinstance(text, str))


@pytest.mark.parametrize("digits", DIGITS, ids=["400 digits", "5,000 digits"])
def test_a_number_of_many_digits_is_no_message(digits: str) -> None:
    with pytest.raises(ValueError, match=r"ack: id must be|JSON"):
        read_message(f'{{"type": "ack", "id": {digits}}}')


def test_the_largest_numbers_within_bounds_are_taken() -> None:
    assert read_message(json.dumps({"type": "ack", "id": 2**32 - 1}))["id"] == 2**32 - 1
    with pytest.raises(ValueError, match=r"ack: id must be in \[0, 4294967295\]"):
        read_message(json.dumps({"type": "ack", "id": 2**32}))
