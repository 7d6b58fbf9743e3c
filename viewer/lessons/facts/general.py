"""Provide facts for every pipeline: sizes, parameters, values at a pixel, counts of labels."""

from collections.abc import Mapping

import numpy as np

from wheatstone.gpu.parameters import controls
from wheatstone.viewer.choices.words import in_words
from wheatstone.viewer.lessons.facts.fact import Fact
from wheatstone.viewer.lessons.facts.subject import FactSubject, Unknown, cores, machine


def _parameter(about: FactSubject, name: str) -> str:
    if name not in controls(about.pipeline.params):
        raise Unknown(f"({about.pipeline.name} has no {name})")
    value = about.slot.params.values()[name]
    return ",".join(map(str, value)) if isinstance(value, tuple) else in_words(value)


def spaced(count: int) -> str:
    """Write a count with spaces between thousands."""
    return f"{count:,}".replace(",", " ")


def written(value: float) -> str:
    """Write a number for a text: integers without decimals, others with about three digits."""
    if float(value).is_integer():
        return f"{int(value)}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _value(about: FactSubject, name: str) -> str:
    image, (row, column) = about.image(name), about.place
    value = image[row, column]
    labels = about.pipeline.image(name).labels
    return labels[int(value)] if labels else written(float(value))


def _of_label(about: FactSubject, name: str, *label: str) -> int:
    """Count the pixels of an image that have a label, or a value."""
    image, labels = about.image(name), about.pipeline.image(name).labels
    said = " ".join(label)
    if labels:
        if said not in labels:
            raise Unknown(f"({name} has no label {said!r})")
        return int(np.count_nonzero(image == labels.index(said)))
    if not said.isdecimal():
        raise Unknown(f"({name} has no labels)")
    return int(np.count_nonzero(image == int(said)))


def _percent(about: FactSubject, name: str, *label: str) -> str:
    return f"{100 * _of_label(about, name, *label) / about.grey.size:.1f} %"


GENERAL: Mapping[str, Fact] = {
    "width": Fact("columns of the picture", lambda about: f"{about.size[1]}"),
    "height": Fact("rows of the picture", lambda about: f"{about.size[0]}"),
    "pixels": Fact("pixels of the picture", lambda about: spaced(about.grey.size)),
    "x": Fact("column of the pixel chosen", lambda about: f"{about.place[1]}"),
    "y": Fact("row of the pixel chosen", lambda about: f"{about.place[0]}"),
    "cores": Fact("cores of this machine's CPU", lambda about: f"{cores()}"),
    "machine": Fact("what computes on this machine", lambda about: machine(about.absent)),
    "param": Fact("value of a parameter of the pipeline", _parameter, ("PARAMETER",)),
    "value": Fact("value of an image at the pixel chosen, or its label", _value, ("IMAGE",)),
    "count": Fact(
        "pixels of an image that have a label, or a value",
        lambda about, *words: f"{_of_label(about, *words)}",
        ("IMAGE", "LABEL"),
    ),
    "percent": Fact("the same, of all pixels", _percent, ("IMAGE", "LABEL")),
}
