"""What a release consists of: change log, version, citation, extras, packages."""

import re
import tomllib
from pathlib import Path

import yaml

from wheatstone.viewer import VERSION

ROOT = Path(__file__).resolve().parent.parent
CHANGES = (ROOT / "CHANGELOG.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
OTHER_EXTRAS = {"all", "cuda", "cuda13", "nvrtc", "plots", "test", "dev", "docs", "release"}
"""Extras that need a GPU, that only developers need, or that hold others or nothing."""


def test_the_change_log_lists_releases_with_breaking_changes_first() -> None:
    sections = re.split(r"^## ", CHANGES, flags=re.MULTILINE)[1:]
    names = [section.partition("\n")[0] for section in sections]
    assert names[0] == "[Unreleased]" and len(names) > 1
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", name) for name in names[1:])
    assert names[1].startswith(f"[{VERSION}] - ")
    dates = [name.split()[-1] for name in names[1:]]
    assert dates == sorted(dates, reverse=True)
    for section in sections:
        kinds = re.findall(r"^### (.+)$", section, re.MULTILINE)
        order = [kind for kind in ("Breaking changes", "Added", "Fixed") if kind in kinds]
        assert kinds == order
    bad = [line for line in CHANGES.splitlines() if line and line[:2] not in ("# ", "##", "- ")]
    assert not [line for line in bad if line.startswith(" ")], "one line for each item"


def test_the_version_is_stated_in_one_place() -> None:
    stated = re.compile(rf"""version["']?\s*[=:]\s*["']{re.escape(VERSION)}""", re.IGNORECASE)
    files = [ROOT / "pyproject.toml", ROOT / "CITATION.cff", *(ROOT / "src").glob("*/*.py")]
    files += [path for name in ("viewer", "gpu", "tools") for path in (ROOT / name).rglob("*.py")]
    used = [path for path in files if stated.search(path.read_text())]
    assert used == [ROOT / "viewer" / "__init__.py"]


def test_the_citation_agrees_with_the_project() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0" and citation["title"].lower() == PROJECT["name"]
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


def test_the_extra_all_holds_every_extra_for_any_machine() -> None:
    (one,) = EXTRAS["all"]
    names = set(re.fullmatch(r"wheatstone\[(.+)\]", one)[1].split(","))  # type: ignore[index]
    assert names == EXTRAS.keys() - OTHER_EXTRAS


def test_every_extra_is_documented() -> None:
    page = (ROOT / "docs" / "install.md").read_text()
    assert [name for name in EXTRAS if f"`{name}`" not in page and name != "plots"] == []


CONDA = {
    "opencv-python-headless": "py-opencv",
    "xxhash": "python-xxhash",
    "isal": "python-isal",
    "glfw": "pyglfw",
    "matplotlib": "matplotlib-base",
}
"""Packages that conda-forge names in another way."""


def test_the_conda_recipe_has_the_dependencies_of_the_project() -> None:
    recipe = (ROOT / "tools" / "conda" / "meta.yaml").read_text()
    _, _, run = recipe.partition("  run:\n")
    listed = re.findall(r"^    - ([\w-]+)(?: (.+))?$", run.partition("\ntest:")[0], re.MULTILINE)
    wanted = [("python", PROJECT["requires-python"])]
    for line in PROJECT["dependencies"]:
        name, limits = re.findall(r"^([\w-]+)([^;]*)", line)[0]
        wanted.append((CONDA.get(name, name.lower()), limits))
    assert listed == wanted


def test_the_container_has_the_libraries_that_drawing_without_a_display_needs() -> None:
    container = (ROOT / "Containerfile").read_text()
    bootstrap = (ROOT / "tools" / "bootstrap.sh").read_text()
    needed = re.findall(r'^packages="([^"]+)"', bootstrap, re.MULTILINE)[0].split()
    windows = {"libxrandr2", "libxinerama1", "libxcursor1", "libxi6"}
    assert (
        set(re.findall(r"\blib[\w-]+\b", container.split("WORKDIR")[0])) - {"library"}
        == {*needed} - windows
    )
    copied = set(re.findall(r"^COPY (\w+) ", container, re.MULTILINE))
    assert {"viewer", "gpu", "shaders", "assets", "src", "share"} <= copied
