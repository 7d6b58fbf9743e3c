"""Messages to the user, on standard error."""

import sys


def say(text: object) -> None:
    """Print a line to standard error, after the program's name."""
    print(f"wheatstone: {text}", file=sys.stderr)


def say_session_ignored(reason: object) -> None:
    """Tell the user why the settings of the last session are not restored."""
    say(f"settings of the last session ignored: {reason}")
