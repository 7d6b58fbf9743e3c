"""The user's choices for recording: the kind of recording, and its rate."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, amount, one_of

KINDS = {
    "auto": "By the file's ending: .mp4 and .mov the view, .mkv and folders the pairs.",
    "view": "The picture as it is shown, without panels: H.264.",
    "pairs": "What the source serves, before it is rectified, every bit of it.",
    "packets": "What a camera or stream sends, as it comes.",
}


@dataclass(frozen=True)
class RecordingChoice(ChoiceGroup):
    """The kind of a recording, and its pictures per second.

    Raises:
        ValueError: a value is out of bounds.
    """

    heading = "recording"

    kind: str = one_of(
        "auto",
        tuple(KINDS),
        "What is recorded.",
        title="what is recorded",
        option="record-as",
        metavar="KIND",
        meanings=KINDS,
    )
    rate: float = amount(
        30.0,
        1.0,
        120.0,
        "pictures a second of a recorded view, at most",
        title="rate of a recorded view",
        option="record-rate",
        step=5.0,
    )
