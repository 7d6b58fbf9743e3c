"""Reading that never ends and holds Python's lock meanwhile, in place of the program's own.

    python -m tests.hanging WORDS OF THE PROGRAM ...

runs the program with it.
"""

import os
import re
import sys
from typing import Any


def understood(*words: Any) -> Any:
    """Match a regular expression that takes longer than anyone waits."""
    return re.fullmatch("(a|a)*b", "a" * 100)


def ended(*words: Any) -> Any:
    """End the process that reads, as a decoder that crashes does."""
    os._exit(3)


if __name__ == "__main__":
    import tests.hanging
    from wheatstone.viewer.cli.cli import main
    from wheatstone.viewer.window.effects import opening

    setattr(opening, "understood", tests.hanging.understood)  # noqa: B010
    sys.exit(main(sys.argv[1:]))
