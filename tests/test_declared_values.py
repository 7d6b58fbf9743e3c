"""What a declaration asks of values besides their types, and how what is wrong is said."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from wheatstone.viewer.io.reading.checks import at_most, between, known, simple_name
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.reading.typed_values import typed


class Part(TypedDict):
    share: NotRequired[Annotated[float, between(0, 1)]]
    kinds: dict[Literal["cpu", "cuda"], int]


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (Part, {"share": 1.5, "kinds": {}}, r"part.share must be in \[0, 1\] \(got 1.5\)"),
        (Part, {"kinds": {"../x": 1}}, r"part.kinds.*/x must be one of cpu, cuda"),
        (Annotated[str, at_most(3)], "four", r"part must have at most 3 characters \(got 4\)"),
        (list[Annotated[int, between(1, 9)]], [1, 10**9], r"part\[1\] must be in \[1, 9\]"),
        (Annotated[str, simple_name], "a/b", "must be a name of small letters"),
        (Annotated[str, simple_name], "..", "must be a name of small letters"),
        (Annotated[str, simple_name], "a\n", "must be a name of small letters"),
        (Annotated[str, known(("a", "b"))], "\x1b", r"must be one of a, b \(got '\\x1b'\)"),
        (dict[str, int], {"\x1b[31m": "x"}, r"part.\\x1b\[31m must be an integer"),
    ],
)
def test_what_is_not_as_declared_is_named(kind: Any, value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        typed(kind, value, "part")


def test_a_long_name_does_not_hide_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="must be an integer") as error:
        typed(dict[str, int], {"x" * 5000: None}, "")
    assert len(str(error.value)) < 500


def test_what_is_as_declared_passes() -> None:
    assert typed(Part, {"share": 1, "kinds": {"cpu": 2}, "more": None}, "") == {
        "share": 1.0,
        "kinds": {"cpu": 2},
        "more": None,
    }


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert visible("a\x1b[0m\u202e\udc80\n") == "a\\x1b[0m\\u202e\\x80\\n"
    assert visible("Mpx·d/s, größer\u00a0立体") == "Mpx·d/s, größer\u00a0立体"
