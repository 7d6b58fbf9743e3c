"""The user's choices for playing a sequence."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, amount, on_off

TIMELINE = "timeline"
"""The panel that shows a frame's position in a sequence; it opens with a video."""


def _speed_says(playing: "Playing") -> str:
    return f"played at {playing.speed:g} of its speed"


def _watch_says(playing: "Playing") -> str:
    return "files that change are read again" if playing.watch else "files are read once"


def _loop_says(playing: "Playing") -> str:
    return "plays over and over" if playing.loop else "stops at the end"


@dataclass(frozen=True)
class Playing(ChoiceGroup):
    """The speed of a sequence, whether it repeats, and whether its files are watched."""

    heading = "playing"

    speed: float = amount(
        1.0,
        0.1,
        4.0,
        "how fast a sequence plays, by its own speed",
        option="speed",
        keys=("Shift+.", "Shift+,"),
        each=("play faster", "play slower"),
        key_help="play faster or slower",
        says=_speed_says,
        verbs=("view",),
    )
    loop: bool = on_off(
        True,
        "play a sequence over and over; --no-loop: stop at its end",
        option="loop",
        keys=("Shift+Space",),
        key_help="play over and over, or stop at the end",
        says=_loop_says,
        verbs=("view",),
    )
    watch: bool = on_off(
        True,
        "read the source's files again when they change; --no-watch: only when asked to",
        title="watch files",
        option="watch",
        says=_watch_says,
        verbs=("view",),
    )
