"""Damage to files: bytes, structure, and words that mean harm."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

NUMBERS = (
    *("0", "-1", "1", "255", "256", "65535", "65536", "2147483647", "2147483648", "-2147483648"),
    *("4294967296", "9223372036854775807", "1e308", "-1e308", "1e-320", "nan", "inf", "-inf"),
    *("1e999", "0x10", "1_0", "9" * 400, "1" + "0" * 5000, "٣", "²", "", "1.5.2", "--3"),
)
"""What stands in place of a number."""
WORDS = (
    *("", " ", "\x00", "\n", "a" * 5000, "../../../escaped", "..", "/", "//", "~", "x/../../y"),
    *("/dev/zero", "/dev/stdin", "/etc/passwd", "file:///etc/passwd", "CON", "`rm -rf /`", "|"),
    *("<script>alert(1)</script>", "${jndi:x}", "%s%n", "{0.__class__}", "{{7*7}}", "[bold]"),
    *("\x1b[31m", "\u202e", "\udc80", "null", "true", "[]", "{}", "__proto__", "=cmd|' /C'!A0"),
)
"""What stands in place of a word."""


def mutated(random: Random, content: bytes) -> bytes:
    """Damage bytes a few times, each in one of the ways of ``DAMAGES``."""
    encoded = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        encoded = random.choice(DAMAGES)(random, encoded)
    return bytes(encoded)


def mutated_text(random: Random, text: str, words: Sequence[str] = WORDS) -> bytes:
    """Damage a text: its bytes, a word or number of it, its lines, or its nesting."""
    how = random.randrange(7)
    if how < 2:
        return mutated(random, text.encode())
    if how == 2:
        return _lines(random, text)
    if how == 3:
        at = random.randrange(len(text) + 1)
        mark = random.choice(("[", "{", "(", "<a>", "[[", "{a=", '{"a":', "a.", "\n", " ", "- "))
        return (text[:at] + mark * random.choice((40, 2000, 60_000)) + text[at:]).encode()
    parts = _split(text)
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(parts))
        number = parts[at].strip().lstrip("-").replace(".", "").isdigit()
        chosen = NUMBERS if number and random.random() < 0.7 else words
        parts[at] = random.choice(tuple(chosen))
    return "".join(parts).encode("utf-8", "surrogatepass")


def _split(text: str) -> list[str]:
    import re

    return re.findall(r"[\w.+-]+|\s+|[^\w\s]", text) or [""]


def _lines(random: Random, text: str) -> bytes:
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            lines[at:at] = [lines[other]] * random.choice((1, 3, 1000))
        case _:
            lines = lines[:at]
    return "\n".join(lines).encode()


def _flip(random: Random, content: bytearray) -> bytearray:
    if content:
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return content


def _set(random: Random, content: bytearray) -> bytearray:
    """Set some bytes, most often near the beginning, where headers are."""
    if content:
        reach = min(len(content), random.choice((16, 64, len(content))))
        at, count = random.randrange(reach), random.choice((1, 2, 4, 8))
        value = random.choice((0x00, 0xFF, 0x7F, 0x80, random.randrange(256)))
        content[at : at + count] = bytes([value]) * min(count, len(content) - at)
    return content


def _cut(random: Random, content: bytearray) -> bytearray:
    return content[: random.randrange(len(content) + 1)]


def _drop(random: Random, content: bytearray) -> bytearray:
    at = random.randrange(len(content) + 1)
    del content[at : at + random.choice((1, 4, 100))]
    return content


def _insert(random: Random, content: bytearray) -> bytearray:
    at = random.randrange(len(content) + 1)
    content[at:at] = random.randbytes(random.choice((1, 4, 100)))
    return content


def _repeat(random: Random, content: bytearray) -> bytearray:
    at = random.randrange(len(content) + 1)
    content[at:at] = content[at : at + random.choice((4, 64, 512))] * random.choice((1, 10, 100))
    return content


DAMAGES: tuple[Callable[[Random, bytearray], bytearray], ...] = (
    *(_flip, _set, _cut, _drop, _insert, _repeat),
)


def damaged_line(
    random: Random, line: str, changed: Callable[[Random, dict[str, Any]], dict[str, Any]]
) -> bytes:
    """A file of lines of JSON: most often one line with other values, else torn or nested deeply.

    Args:
        changed: changes values of the line.
    """
    text, how = line + "\n", random.random()
    if how < 0.5:
        return (json.dumps(changed(random, json.loads(text))) + "\n").encode()
    if how < 0.75:
        return mutated_text(random, text * random.choice((1, 3)))
    if how < 0.95:
        return mutated(random, text.encode())
    return (random.choice(("[", "{", "\n", '{"schema": "', "{}\n")) * 100_000).encode()
