"""The README's tables are the generated ones, and what it names exists."""

import re
from pathlib import Path

import pytest

from gpu.pipelines import PIPELINES
from viewer.commands.cli import VERBS
from viewer.commands.documentation import renewed, sections

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def test_tables_are_the_generated_ones() -> None:
    assert renewed(README) == README


@pytest.mark.parametrize("name", sections())
def test_every_table_is_in_the_readme(name: str) -> None:
    assert f"<!-- {name} -->" in README


def test_every_verb_and_pipeline_is_named() -> None:
    assert all(f"wheatstone {verb}" in README for verb in VERBS)
    assert all(f"`{name}`" in README for name in PIPELINES)


def test_every_link_leads_to_a_file() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link.split("#")[0]).exists()] == []


def test_a_marker_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no table 'prices'"):
        renewed("<!-- prices -->\n<!-- end -->")
