"""Read CUDA files and define their compiler options, without CuPy and without a GPU."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OPTIONS = ("-std=c++17",)
_INCLUDE = re.compile(r'#include "([\w.]+)"')


@cache
def files(file: str) -> dict[str, str]:
    """Read a ``.cu`` file and every local header that it includes; return their text by name."""
    text = (FOLDER / file).read_text()
    headers = _INCLUDE.findall(text)
    return {file: text} | {header: (FOLDER / header).read_text() for header in headers}


@cache
def source(file: str) -> str:
    """Read a ``.cu`` file and replace its local includes by the text of the headers.

    So the text and the options alone determine the compiled code.
    """
    lines = []
    for number, line in enumerate((FOLDER / file).read_text().split("\n"), 1):
        if match := _INCLUDE.fullmatch(line):
            lines += [f'#line 1 "{match[1]}"', (FOLDER / match[1]).read_text()]
            lines += [f'#line {number + 1} "{file}"']
        else:
            lines.append(line)
    return "\n".join(lines)


@cache
def waits_first(file: str, kernel: str) -> bool:
    """Return whether a kernel's first statement waits for the launch before it.

    Only such a kernel may begin before the previous one ends.
    """
    begins = rf"\b{kernel}\([^)]*\) {{\s*wait_for_previous\(\);"
    return re.search(begins, files(file)[file]) is not None
