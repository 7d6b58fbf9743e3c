"""Print messages to the user on standard error."""

from wheatstone.viewer.io.files.streams import say as say


def say_session_ignored(reason: object) -> None:
    """Print why the settings of the last session are not restored."""
    say(f"settings of the last session ignored: {reason}")
