"""Generate parts of the documentation, update the pages that hold them, and the manual page.

``python -m wheatstone.viewer.cli.documentation`` writes them between their markers. With
``--check`` it names the pages that are out of date, and its exit code is 1 if there are any.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.documented_tables import (
    choice_table,
    fact_table,
    field_table,
    key_tables,
    mouse_table,
    own_key_table,
    parameter_table,
    preset_table,
    stage_table,
    variant_table,
    view_table,
)
from wheatstone.viewer.cli.man_page import PAGE, man_page
from wheatstone.viewer.options import flag_option
from wheatstone.viewer.parser import Request, parse_request, parser_of
from wheatstone.viewer.resources import ROOT
from wheatstone.viewer.run.kernels.assignment import Assignment
from wheatstone.viewer.run.kernels.folder import KernelDocument, StageTable

PAGES = (
    "docs/keys.md",
    "docs/choices.md",
    "docs/pipelines.md",
    "docs/lessons.md",
    "docs/kernels.md",
    "docs/models.md",
)
MARKED = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def sections() -> dict[str, str]:
    """Generate every part, by the name of its marker."""
    texts = {
        "keys": key_tables(),
        "own-keys": own_key_table(),
        "mouse": mouse_table(),
        "choices": choice_table(),
        "facts": fact_table(),
        "kernel-fields": field_table(KernelDocument),
        "stage-fields": field_table(StageTable),
        "assignment-fields": field_table(Assignment),
        "model-fields": field_table(ModelCard),
    }
    for name, pipeline in PIPELINES.items():
        texts |= {f"{name}-{part}": table for part, table in _parts(pipeline).items()}
    return texts


def _parts(pipeline: Pipeline) -> Mapping[str, str]:
    tables = {"variants": variant_table(pipeline)}
    if controls(pipeline.params):
        tables["parameters"] = parameter_table(pipeline)
    if pipeline.presets:
        tables["presets"] = preset_table(pipeline)
    return tables | {"views": view_table(pipeline), "stages": stage_table(pipeline)}


def renewed(text: str, made: Mapping[str, str]) -> str:
    """Replace the generated parts of a page between their markers.

    Raises:
        ValueError: a marker names no part.
    """

    def write(match: re.Match[str]) -> str:
        name = match[1]
        if name not in made:
            raise ValueError(f"there is no generated part {name!r}; there is {', '.join(made)}")
        return f"<!-- {name} -->\n{made[name]}\n<!-- end -->"

    return MARKED.sub(write, text)


def renewed_pages(root: Path = ROOT) -> dict[Path, str]:
    """Return the text of every page, with its parts generated again, by path.

    Raises:
        ValueError: a part is on no page, or a marker names no part.
    """
    made = sections()
    texts = {root / page: (root / page).read_text() for page in PAGES}
    held = {name for text in texts.values() for name in MARKED.findall(text)}
    if lacking := [name for name in made if name not in held]:
        markers = ", ".join(f"<!-- {name} -->" for name in lacking)
        raise ValueError(f"no page of {', '.join(PAGES)} holds {markers}, closed by <!-- end -->")
    pages = {path: renewed(text, made) for path, text in texts.items()}
    return pages | {root / PAGE: man_page()}


@dataclass(frozen=True, kw_only=True)
class DocumentationRequest(Request):
    """Write the outdated pages, or only list them."""

    prog: ClassVar[str] = "python -m wheatstone.viewer.cli.documentation"
    check: bool = flag_option("write nothing; exit code 1 if a page is out of date")


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the outdated pages, or only list them; return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    request = parse_request(DocumentationRequest, words, "Write the outdated pages.")
    try:
        pages = renewed_pages(root)
    except ValueError as error:
        parser_of(DocumentationRequest).error(str(error))
    old = {path: text for path, text in pages.items() if _read(path) != text}
    for path, text in old.items():
        if not request.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        print(f"{path} {'is out of date' if request.check else 'written'}", file=sys.stderr)
    return 1 if old and request.check else 0


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    raise SystemExit(main())
