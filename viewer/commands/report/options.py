"""Define and parse the command line of ``report``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.viewer.parser import Parser

USAGE = "wheatstone report [options]"
DEFAULT = Path("wheatstone-report")
EPILOG = """\
DIR gets index.html, which holds all it shows and needs no network; report.md with its pictures
and plots; and report.json, from which both are made. After an interruption the same command goes
on where it stopped. Exit codes: 0 done; 1 a result differs from the reference, or a pair failed; 2
bad input or arguments."""


def parse_report(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``report``."""
    parser = Parser(
        usage=USAGE, description=help, epilog=EPILOG, prog="wheatstone report", allow_abbrev=False
    )
    help = f"folder to write to; made if it is missing; default: {DEFAULT}, or that of --from"
    parser.add_argument("--out", type=Path, metavar="DIR", help=help)
    help = "a data set with truth, evaluated beside the built-in scenes; may be repeated"
    parser.add_argument("--data", type=Path, metavar="DIR", action="append", default=[], help=help)
    help = "small and short: to see that it works here, not to compare times"
    parser.add_argument("--quick", action="store_true", help=help)
    help = "measure anew what an earlier report in the folder holds, also one of other options"
    parser.add_argument("--renew", action="store_true", help=help)
    help = "replace files in the folder that report did not write"
    parser.add_argument("--force", action="store_true", help=help)
    help = "make the pages again from an earlier report.json, without measuring"
    parser.add_argument("--from", type=Path, metavar="JSON", dest="source", help=help)
    options = parser.parse_args(words)
    if options.source and (options.data or options.quick or options.renew):
        parser.error("--from measures nothing: --data, --quick and --renew do not go with it")
    options.verb, options.words = "report", ["report", *words]
    return options
