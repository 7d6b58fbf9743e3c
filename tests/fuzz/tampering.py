"""Tamper with plain data: keys that go, values of other kinds, words that mean harm."""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.fuzz.mutating import WORDS

Way = tuple[str | int, ...]
HARM = (
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title><script>a</script>"),
    *("[x](javascript:alert(1))", "![x](http://127.0.0.1/a.png)", "a|b`c\n\n<script>d</script>"),
    *("</style><script>alert(1)</script>", "' onload='alert(1)", "]]><script>", "{{ 7 * 7 }}"),
    *("\x1b]8;;http://127.0.0.1\x07x", "\ud800", "x" * 5000, "../../../escaped", "\x00", "\u2028"),
    *("../pictures/../../escaped", "/etc/passwd", "escaped.svg", "con", "-", ".", "a/b", "a\\b"),
    *("javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "&lt;b&gt;", "`<b>`"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, 0.0, -0.5, 1e-320, 5e-324, 1e308, -1e308),
    *([], {}, [[]], {"": {}}, [None], "", "0", [1, 2, 3, 4], ["x"], {"median": 1}, {"device": 1}),
)


def ways(document: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the way to every value of a document but the document itself."""
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        yield (*way, key)
        yield from ways(value, (*way, key))


def tampered(random: Random, document: Any) -> Any:
    """Copy a document, and tamper with it in one way, or a few."""
    changed = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 1, 1, 2, 5))):
        every = list(ways(changed))
        if every:
            random.choice(TAMPERINGS)(random, changed, random.choice(every))
    return changed


def _holder(document: Any, way: Way) -> Any:
    for step in way[:-1]:
        document = document[step]
    return document


def _remove(random: Random, document: Any, way: Way) -> None:
    del _holder(document, way)[way[-1]]


def _replace(random: Random, document: Any, way: Way) -> None:
    _holder(document, way)[way[-1]] = copy.deepcopy(random.choice(VALUES))


def _harm(random: Random, document: Any, way: Way) -> None:
    _holder(document, way)[way[-1]] = random.choice((*HARM, *WORDS))


def _harm_text(random: Random, document: Any, way: Way) -> None:
    """Put one word in place of every text that has the same key."""
    word, name = random.choice((*HARM, *WORDS)), way[-1]
    for other in list(ways(document)):
        if other[-1] == name and isinstance(_holder(document, other)[name], str):
            _holder(document, other)[name] = word


def _harm_all_text(random: Random, document: Any, way: Way) -> None:
    """Put a word in place of every text below a key, schema apart."""
    word = random.choice(HARM)
    for other in list(ways(document)):
        holder = _holder(document, other)
        if other[0] == way[0] != "schema" and isinstance(holder[other[-1]], str):
            holder[other[-1]] = word


def _rename(random: Random, document: Any, way: Way) -> None:
    holder = _holder(document, way)
    if isinstance(holder, dict):
        holder[random.choice((*HARM, *WORDS))] = holder.pop(way[-1])


def _repeat(random: Random, document: Any, way: Way) -> None:
    holder = _holder(document, way)
    if isinstance(holder, list):
        holder += [holder[way[-1]]] * random.choice((1, 3, 300))  # type: ignore[index]


def _number(random: Random, document: Any, way: Way) -> None:
    """Put a number in place of every number that has the same key."""
    value, name = random.choice((0, -1, 1e-320, 1e308, 1e9, 3, 0.1)), way[-1]
    for other in list(ways(document)):
        if other[-1] == name and type(_holder(document, other)[name]) in (int, float):
            _holder(document, other)[name] = value


TAMPERINGS: tuple[Callable[[Random, Any, Way], None], ...] = (
    *(_remove, _replace, _replace, _harm, _harm_text, _harm_all_text, _rename, _repeat, _number),
)
