"""Define and parse the command line of ``lesson``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.viewer.choices.learning import Lesson
from wheatstone.viewer.commands.view_options import parse_view
from wheatstone.viewer.former_options import add_source, positive, size
from wheatstone.viewer.lessons.reading import BUILT_IN
from wheatstone.viewer.parser import Parser, check_first
from wheatstone.viewer.theme import THEMES

SOURCE = ("scene", "seed", "scene_size", "size", "theme", "scale")
"""Options that are passed to ``view`` unchanged."""


def parse_lesson(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``lesson``."""
    check_first(words, BUILT_IN, "lesson")
    parser = Parser("wheatstone lesson", description=help, allow_abbrev=False)
    known = f"{', '.join(BUILT_IN)}, or a file as docs/lessons.md describes it"
    parser.add_argument("name", metavar="LESSON", help=known)
    scene = add_source(parser, "your own pair, image or folder to take the lesson on")
    help = "its size; default: 640x480"
    scene.add_argument("--scene-size", type=size, metavar="WxH", help=help)
    help = "step to begin with, or the only one written; default: where it was left; all are "
    parser.add_argument("--step", type=positive, metavar="N", help=f"{help}written")
    help = "write the steps, and play no window: a folder for pictures, or a film (.mp4)"
    parser.add_argument("--out", type=Path, metavar="FOLDER|FILM", help=help)
    help = "seconds that a film shows each step, and each answer (default: %(default)s)"
    parser.add_argument("--seconds", type=positive, default=8, metavar="N", help=help)
    help = "of the window, or of the pictures (default: 1280x800)"
    parser.add_argument("--size", type=size, metavar="WxH", help=help)
    parser.add_argument("--theme", choices=THEMES, help="of the panels")
    parser.add_argument("--scale", type=float, metavar="X", help="size of text and panels")
    return parser.parse_args(words)


def view_options(options: argparse.Namespace, found: Lesson) -> argparse.Namespace:
    """Make the options of ``view`` that show a lesson's pipeline on the chosen source.

    Without a window, the settings of the last session are ignored.
    """
    words = [found.pipeline, *filter(None, (options.left, options.right))]
    for name in SOURCE:
        value = getattr(options, name)
        if value is not None:
            said = f"{value[0]}x{value[1]}" if isinstance(value, tuple) else str(value)
            words += [f"--{name.replace('_', '-')}", said]
    chosen = parse_view([*words, *(["--fresh"] if options.out else [])], "")
    chosen.verb = "view"
    return chosen
