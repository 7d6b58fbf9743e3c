"""Read a CUDA file, and name the options it is compiled with; needs neither CuPy nor a GPU."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OPTIONS = ("-std=c++17",)
_INCLUDE = re.compile(r'#include "([\w.]+)"')


@cache
def files(file: str) -> dict[str, str]:
    """Read a ``.cu`` file, then every local header it includes: the text of each, by name."""
    text = (FOLDER / file).read_text()
    headers = _INCLUDE.findall(text)
    return {file: text} | {header: (FOLDER / header).read_text() for header in headers}


@cache
def source(file: str) -> str:
    """Read a ``.cu`` file, and put the text of its local headers in place.

    CuPy's disk cache looks at the text of the file only, so a header left to the compiler would be
    compiled once and then never again, however it changed.
    """
    lines = []
    for number, line in enumerate((FOLDER / file).read_text().split("\n"), 1):
        if match := _INCLUDE.fullmatch(line):
            lines += [f'#line 1 "{match[1]}"', (FOLDER / match[1]).read_text()]
            lines += [f'#line {number + 1} "{file}"']
        else:
            lines.append(line)
    return "\n".join(lines)
