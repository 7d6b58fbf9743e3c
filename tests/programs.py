"""The program run as others run it: in a process of its own."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def environment(**more: str) -> dict[str, str]:
    """Variables under which ``python -m wheatstone`` finds this checkout and what tests find."""
    return (
        os.environ
        | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])}
        | more
    )
