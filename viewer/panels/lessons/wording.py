"""Parse the texts of lessons, and replace their placeholders by facts (computed numbers).

``{disparity}`` stands for a fact, ``{ms shared}`` for a fact that takes further words, and
``{gpu: ...}`` holds words, and placeholders, about something that only a GPU shows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

DEEPEST = 2  # how many placeholders may be nested: a fact in a part about a GPU
GPU = "gpu:"
WITHOUT = "With an NVIDIA GPU you would see: "
NO_GPU = "not measured here: no GPU"
OPEN = "?"  # the sign for a time that was not measured, in words about a GPU that is absent
PENDING = "…"  # the sign for a fact that is still being computed


@dataclass(frozen=True)
class FactCall:
    """A fact (computed number) that a lesson text names, with its arguments, such as a variant."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class GpuPart:
    """A part of a lesson text, ``{gpu: ...}``, about results that only a GPU shows."""

    parts: "tuple[Part, ...]"


Part = str | FactCall | GpuPart


@lru_cache(maxsize=256)
def parse_text(text: str) -> tuple[Part, ...]:
    """Split a lesson text into plain words and placeholders.

    Raises:
        ValueError: braces do not match, are nested too deeply, or are empty.
    """
    parts, end = _parts(text, 0, 0)
    if end != len(text):
        raise ValueError("a } stands without its {")
    return parts


def _parts(text: str, begin: int, depth: int) -> tuple[tuple[Part, ...], int]:
    """Parse a text from a position to the next } or the end; return the parts and the end."""
    parts: list[Part] = []
    while begin < len(text) and text[begin] != "}":
        if text[begin] != "{":
            end = min((n for n in (text.find(c, begin) for c in "{}") if n >= 0), default=len(text))
            parts.append(text[begin:end])
            begin = end
            continue
        part, begin = _placeholder(text, begin + 1, depth + 1)
        parts.append(part)
    return tuple(parts), begin


def _placeholder(text: str, begin: int, depth: int) -> tuple[Part, int]:
    """Parse a placeholder after its {; return it, and the position after the placeholder."""
    if depth > DEEPEST:
        raise ValueError("a { stands in another one: only {gpu: ...} holds placeholders")
    is_gpu = text.startswith(GPU, begin)
    if is_gpu:
        parts, end = _parts(text, begin + len(GPU), depth)
        part: Part = GpuPart((str(parts[0]).lstrip(), *parts[1:]) if parts else ())
    else:
        end = text.find("}", begin)
        end = len(text) if end < 0 else end
        words = text[begin:end].split()
        if not words or "{" in text[begin:end]:
            raise ValueError("a { stands without a fact and its }")
        part = FactCall(words[0], tuple(words[1:]))
    if end >= len(text):
        raise ValueError("a { stands without its }")
    return part, end + 1


def fact_calls(parts: Sequence[Part]) -> Iterator[FactCall]:
    """Yield the facts (computed numbers) that the parsed parts of a lesson text name, in order."""
    for part in parts:
        if isinstance(part, FactCall):
            yield part
        elif isinstance(part, GpuPart):
            yield from fact_calls(part.parts)


def facts_in(*texts: str) -> list[FactCall]:
    """List the facts (computed numbers) that lesson texts name, each once."""
    return list(dict.fromkeys(call for text in texts for call in fact_calls(parse_text(text))))


def worded(text: str, known: Mapping[FactCall, str], *, has_gpu: bool) -> str:
    """Replace the placeholders in a lesson text by facts; unknown facts are shown as pending.

    Without a GPU, words about one are marked as describing the result there.
    """
    return _joined(parse_text(text), lambda call: known.get(call, PENDING), has_gpu)


def _as_with_gpu(text: str) -> str:
    """Mark a lesson text as describing results of an absent GPU; show unmeasured times as "?"."""
    note = f" ({OPEN}: {NO_GPU})" if NO_GPU in text else ""
    return f"[{WITHOUT}{text.replace(NO_GPU, OPEN)}{note}]"


def _joined(parts: Sequence[Part], tell: Callable[[FactCall], str], has_gpu: bool) -> str:
    texts = []
    for part in parts:
        if isinstance(part, FactCall):
            texts.append(tell(part))
        elif isinstance(part, GpuPart):
            inner = _joined(part.parts, tell, has_gpu)
            texts.append(inner if has_gpu else _as_with_gpu(inner))
        else:
            texts.append(part)
    return "".join(texts)
