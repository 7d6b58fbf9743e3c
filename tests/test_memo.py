"""Results that are kept until something they were made of is another object."""

import pytest

from wheatstone.viewer.memo import Memo


def test_a_result_is_made_once_of_the_same_objects() -> None:
    remembered, made = Memo[int](), list[int]()
    first, second = object(), object()

    def make() -> int:
        made.append(0)
        return len(made)

    for _ in range(3):
        assert remembered.of((first, second), make) == 1
    assert len(made) == 1


def test_another_object_is_seen_though_it_is_equal() -> None:
    remembered = Memo[str]()
    some, others = (1000, 2000), tuple([1000, 2000])
    assert some == others
    assert remembered.of((some,), lambda: "one") == "one"
    assert remembered.of((others,), lambda: "other") == "other"
    assert remembered.of((some,), lambda: "one again") == "one again"


def test_fewer_and_more_objects_are_seen() -> None:
    remembered, thing = Memo[str](), object()
    assert remembered.of((thing,), lambda: "one") == "one"
    assert remembered.of((thing, thing), lambda: "two") == "two"
    assert remembered.of((), lambda: "none") == "none"
    assert remembered.of((), lambda: "not made") == "none"


def test_what_could_not_be_made_is_not_remembered() -> None:
    remembered, thing, other = Memo[str](), object(), object()
    remembered.of((thing,), lambda: "known")
    with pytest.raises(ZeroDivisionError):
        remembered.of((other,), lambda: str(1 / 0))
    assert remembered.of((thing,), lambda: "made anew") == "made anew"
    assert remembered.of((other,), lambda: "made at last") == "made at last"
