"""Parsing of lesson files, whose format docs/lessons.md describes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.learning import Lesson, LessonChoice, LessonStep, StateLine
from wheatstone.viewer.io.reading.documents import read_text
from wheatstone.viewer.io.reading.plain_text import cut, visible
from wheatstone.viewer.panels.lessons.facts import check_fact
from wheatstone.viewer.panels.lessons.wording import facts_in
from wheatstone.viewer.resources import ASSETS

BUILT_IN = ("sgm", "canny", "ncc", "mean")  # names of the lessons that come with the program
FENCE = "```"
LANGUAGE = "wheatstone"
TRY = "Try:"
LARGEST = 2**18  # bytes of a file
MOST_STEPS = 40
MOST_LINES = 200  # of all blocks
LONGEST = 1200  # characters of a paragraph
LONGEST_TITLE = 60
CHOICE = re.compile(r"- \[([x ])\] (.+)")  # an answer to choose from: - [x] is the right one
MOST_CHOICES, LONGEST_CHOICE = 4, 120
SHOWN = 80  # characters of a line in a message


def lesson_file(name: str) -> Path:
    """Return the path of a lesson's file, given the name of a built-in lesson or a path."""
    return ASSETS / "lessons" / f"{name}.md" if name in BUILT_IN else Path(name)


def read_lesson(name: str) -> Lesson:
    """Read a lesson by the name of a built-in one or by the path of a file.

    Raises:
        OSError: the file is not a regular file, or cannot be read.
        ValueError: the file is not a valid lesson; the message names file and line.
    """
    path = lesson_file(name)
    text = read_text(path, LARGEST)
    try:
        return parse_lesson(text, name)
    except BrokenLesson as error:
        raise ValueError(f"{path}: {error}") from None


class BrokenLesson(ValueError):
    """The error in a lesson's file, with its line number."""

    def __init__(self, why: object, line: int) -> None:
        super().__init__(f"{why} (line {line})")


def parse_lesson(text: str, name: str) -> Lesson:
    """Parse the text of a lesson. Raises ``BrokenLesson`` if it is not valid."""
    head, *parts = _sections(text)
    if not parts:
        raise BrokenLesson("a lesson has steps: each begins with ## and its title", head.line)
    if len(parts) > MOST_STEPS:
        raise BrokenLesson(f"a lesson has {MOST_STEPS} steps at most", parts[MOST_STEPS].line)
    blocks = head.blocks
    if not head.title:
        raise BrokenLesson("a lesson begins with # and its title", head.line)
    if head.question or head.to_do or len(blocks) > 1:
        raise BrokenLesson(
            "before the first step, only text and at most one block are allowed", head.line
        )
    base = blocks[0][1] if blocks else ()
    steps = tuple(map(_step, parts))
    lines = [*base, *(line for step in steps for line in (*step.shows, *step.answer_shows))]
    if len(lines) > MOST_LINES:
        raise BrokenLesson(f"all blocks together have {MOST_LINES} lines at most", lines[-1].number)
    pipelines = [line.words[0] for line in lines if line.words[0] in PIPELINES]
    return Lesson(name, head.title, head.text, next(iter(pipelines), "sgm"), base, steps)


@dataclass
class _Section:
    """A section of a lesson's file: a title and the texts and blocks below it."""

    line: int
    title: str = ""
    text: str = ""
    to_do: str = ""
    question: str = ""
    answer: str = ""
    choices: list[LessonChoice] = field(default_factory=list)
    blocks: list[tuple[bool, tuple[StateLine, ...]]] = field(default_factory=list)

    def add(self, kind: str, paragraph: str, line: int) -> None:
        """Append a paragraph to one of the section's texts; raise an error if it gets too long."""
        joined = f"{getattr(self, kind)} {paragraph}".strip()
        if len(joined) > LONGEST:
            raise BrokenLesson(f"longer than {LONGEST} characters, which no panel can show", line)
        setattr(self, kind, joined)


def _sections(text: str) -> Iterator[_Section]:
    """Split a lesson's text at its titles into sections; the first one precedes the first step."""
    section, lines = _Section(1), text.split("\n")
    number = 0
    while number < len(lines):
        line, here = lines[number].strip(), number + 1
        number += 1
        if line.startswith(FENCE):
            block, number = _block(lines, number, line)
            answers = bool(section.question)
            if any(answering == answers for answering, _ in section.blocks):
                raise BrokenLesson("a step has one block, and one more for its answer", here)
            section.blocks.append((answers, block))
        elif line.startswith("## "):
            yield section
            section = _Section(here, _title(line[3:], here))
        elif line.startswith("# ") and not section.title:
            section.title = _title(line[2:], here)
        elif line.startswith("#"):
            raise BrokenLesson("a title begins with # for the lesson or ## for a step", here)
        elif choice := CHOICE.fullmatch(line):
            _add_choice(section, choice, here)
        elif line:
            paragraph, number = _paragraph(lines, number - 1)
            _add_paragraph(section, paragraph, here)
    yield section


def _title(text: str, line: int) -> str:
    title = visible(text.strip())
    if not title or len(title) > LONGEST_TITLE:
        raise BrokenLesson(f"a title has 1 to {LONGEST_TITLE} characters", line)
    return title


def _block(lines: Sequence[str], begin: int, fence: str) -> tuple[tuple[StateLine, ...], int]:
    """Parse a fenced block of a lesson; return its lines, and the index of the line after it."""
    if fence != FENCE + LANGUAGE:
        got = cut(repr(fence), SHOWN)
        raise BrokenLesson(f"a block begins with {FENCE}{LANGUAGE} (got {got})", begin)
    state_lines: list[StateLine] = []
    for number in range(begin, len(lines)):
        line = lines[number].strip()
        if line.startswith(FENCE):
            return tuple(state_lines), number + 1
        if line and not line.startswith("# "):
            state_lines.append(StateLine(number + 1, tuple(line.split())))
    raise BrokenLesson(f"the block that begins here has no end: {FENCE}", begin)


def _paragraph(lines: Sequence[str], begin: int) -> tuple[str, int]:
    """Join the lines of a lesson's paragraph; return the text, and the index of the next line."""
    end = begin
    while end < len(lines) and re.match(r"\s*(?!```|#|- \[)\S", lines[end]):
        end += 1
    quoted = lines[begin].lstrip().startswith(">")
    texts = [line.strip().removeprefix(">" if quoted else "").strip() for line in lines[begin:end]]
    return ("> " if quoted else "") + visible(" ".join(texts)), end


def _add_choice(section: _Section, choice: re.Match[str], line: int) -> None:
    """Add an answer to a lesson section's choices, and check the facts that the answer names."""
    if not section.question or section.answer:
        raise BrokenLesson("answers to choose from follow a question, before its answer", line)
    if len(section.choices) == MOST_CHOICES or len(choice[2]) > LONGEST_CHOICE:
        most = f"{MOST_CHOICES} answers to choose from, of {LONGEST_CHOICE} characters"
        raise BrokenLesson(f"a question has at most {most}", line)
    _check_facts(choice[2], line)
    section.choices.append(LessonChoice(visible(choice[2]), choice[1] == "x"))


def _check_facts(paragraph: str, line: int) -> None:
    try:
        for call in facts_in(paragraph):
            check_fact(call)
    except ValueError as error:
        raise BrokenLesson(error, line) from None


def _add_paragraph(section: _Section, paragraph: str, line: int) -> None:
    _check_facts(paragraph, line)
    if paragraph.startswith("> "):
        if section.answer:
            raise BrokenLesson("a step asks one question, before its answer", line)
        section.add("question", paragraph[2:], line)
    elif section.question:
        section.add("answer", paragraph, line)
    elif paragraph.startswith(TRY):
        section.add("to_do", paragraph.removeprefix(TRY).strip(), line)
    elif section.to_do:
        raise BrokenLesson(f"a task ({TRY}) must follow the text", line)
    else:
        section.add("text", paragraph, line)


def _step(section: _Section) -> LessonStep:
    if not section.text:
        raise BrokenLesson("a step has a paragraph below its title", section.line)
    if section.question and not section.answer:
        raise BrokenLesson("a question is followed by its answer", section.line)
    if section.choices and sum(choice.right for choice in section.choices) != 1:
        raise BrokenLesson("one of the answers to choose from is right: - [x]", section.line)
    blocks = dict(section.blocks)
    return LessonStep(
        section.line,
        section.title,
        section.text,
        blocks.get(False, ()),
        section.to_do,
        section.question,
        section.answer,
        blocks.get(True, ()),
        tuple(section.choices),
    )
