"""Choice of the image topics of a robot recording, and of their calibration topics."""

import re
from collections.abc import Sequence
from itertools import permutations

from wheatstone.viewer.io.footage.bags.bag import BagTopic
from wheatstone.viewer.io.footage.bags.messages import CALIBRATIONS, ENCODINGS, IMAGES, PACKED
from wheatstone.viewer.io.reading.plain_text import some
from wheatstone.viewer.io.reading.typed_values import shown

SIDES = (("left", "right"), ("l", "r"), ("0", "1"), ("1", "2"))
"""Words in which the names of the left and the right topic differ."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
RECTIFIED = "rect"
DEPTH = "compresseddepth"
SEPARATOR = ","
HOW = "choose the topics LEFT,RIGHT"


def choose_topics(topics: Sequence[BagTopic], asked: str | None) -> tuple[BagTopic, ...]:
    """Return the left and the right image topic, or a single one that may hold both views.

    Args:
        topics: all topics of the recording.
        asked: the names, separated by a comma; None: they are found by their names.

    Raises:
        ValueError: there is no such topic, or several could be meant; the message lists them.
    """
    images = [topic for topic in topics if _is_image(topic)]
    if asked is not None:
        return tuple(_named(images, name.strip()) for name in asked.split(SEPARATOR))
    if not images:
        kinds = sorted({topic.type for topic in topics if len(topic.places)})
        raise ValueError(f"no image topic (its messages: {some(kinds) or 'none'})")
    if len(images) == 1:
        return (images[0],)
    pairs = _pairs(images)
    best = [pair for pair in pairs if _rank(pair) == min(map(_rank, pairs))]
    cameras = {(camera_words(left), camera_words(right)) for left, right in pairs}
    if len(best) == 1 and len(cameras) == 1:
        return best[0]
    what = "several pairs of image topics" if pairs else "no two image topics are left and right"
    raise ValueError(f"{what}; {HOW}: {_listed(images)}")


def _is_image(topic: BagTopic) -> bool:
    fitting = topic.type in IMAGES and topic.encoding in ENCODINGS and len(topic.places) > 0
    return fitting and not topic.name.lower().endswith(DEPTH)


def _named(images: Sequence[BagTopic], name: str) -> BagTopic:
    named = [topic for topic in images if topic.name.strip("/") == name.strip("/")]
    if not named:
        raise ValueError(f"no image topic {shown(name)}; {HOW}: {_listed(images)}")
    return named[0]


def _listed(images: Sequence[BagTopic]) -> str:
    return some([topic.description for topic in images]) or "there is none"


def words_of(name: str) -> tuple[str, ...]:
    """Split a topic's name into words and numbers, in lower case."""
    return tuple(word.lower() for word in WORD.findall(name))


def _pairs(images: Sequence[BagTopic]) -> list[tuple[BagTopic, BagTopic]]:
    """List the pairs of topics of the same type whose names differ only as left and right."""
    return [
        (left, right)
        for left, right in permutations(images, 2)
        if left.type == right.type and _are_sides(words_of(left.name), words_of(right.name))
    ]


def _are_sides(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    if len(left) != len(right):
        return False
    differing = {(a, b) for a, b in zip(left, right, strict=True) if a != b}
    return len(differing) == 1 and differing <= set(SIDES)


def _rank(pair: tuple[BagTopic, BagTopic]) -> tuple[int, int, int, int]:
    """Return a sort key for pairs of topics: rectified first, then raw pixels, then more frames."""
    left, right = pair
    frames = min(len(left.places), len(right.places))
    return (not is_rectified(left), left.type in PACKED, -frames, len(left.name))


def camera_words(topic: BagTopic) -> tuple[str, ...]:
    """Return the words of a topic's name that identify its camera, not the kind of its image."""
    parts = topic.name.strip("/").split("/")
    while len(parts) > 1 and (parts[-1] == "compressed" or parts[-1].lower().startswith("image")):
        parts.pop()
    return words_of("/".join(parts))


def is_rectified(topic: BagTopic) -> bool:
    """Return whether an image topic has rectified images, according to its name."""
    return RECTIFIED in words_of(topic.name) or "rectified" in words_of(topic.name)


def calibration_topic(topics: Sequence[BagTopic], image: BagTopic) -> BagTopic | None:
    """Return the topic with the calibration of an image topic's camera; None if it is absent.

    It has the longest beginning in common with the image topic; of several, the shortest name.
    """
    place = image.name.split("/")
    fitting = [
        (_common(place, topic.name.split("/")), -topic.name.count("/"), topic.name, topic)
        for topic in topics
        if topic.type in CALIBRATIONS and topic.encoding in ENCODINGS and len(topic.places)
    ]
    best = max(fitting, key=lambda each: each[:3], default=None)
    return best[3] if best and best[0] else None


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the equal parts at the beginnings of two split names, ignoring empty parts."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += bool(a)
    return count
