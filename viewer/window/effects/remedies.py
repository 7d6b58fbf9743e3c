"""Actions of warnings' buttons: reopen the source, search more disparities, dismiss."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.own_variants import OwnVariant
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.display.frames.source_findings import key_of
from wheatstone.viewer.findings import Button
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth_places import is_packed
from wheatstone.viewer.io.sources.value_files import read_8_bits
from wheatstone.viewer.run.peers.own_peer import NETWORKS, read_peer
from wheatstone.viewer.settings.dismissed_findings import write_dismissed
from wheatstone.viewer.window.effects.opening import open_in_background, open_keeping_look
from wheatstone.viewer.window.effects.program import ProgramActions
from wheatstone.viewer.words import spoken

CHANGED: Mapping[str, str] = {
    "baseline": "the cameras are {} m apart",
    "calibration_scale": "the calibration was scaled to the size of the images",
    "calibration_unit": "lengths of the calibration are in {}",
    "truth_scale": "ground truth is stored at scale {}",
    "tone": "the grey levels were stretched",
    "layout": "shown with layout {}",
}
"""The messages after another value of a field of the source's spec."""


def change_source(app: ProgramActions, name: str, value: str) -> None:
    """Reopen the source with one field of its specification changed, such as the layout.

    Raises:
        ValueError: the source cannot be opened again, or the value is impossible.
    """
    source = app.session.source
    if not source.spec:
        raise ValueError(f"{source.name} cannot be reopened")
    spec = SourceSpec.from_dict({**source.spec.to_dict(), name: value})

    def show(opened: Source) -> None:
        keeps = name != "layout"  # which may change the size
        app.open_source(opened, keep_look=keeps, replaces=True)
        app.state.confirm(CHANGED.get(name, f"{spoken(name)} {{}}").format(value))

    open_in_background(app, source.name, spec, show)


SCALES = ("4", "8", "2", "1")
"""Stored values per pixel of disparity that ground truth of 8 bits has, the most frequent first."""


def use_truth(app: ProgramActions, path: str, scale: str = "") -> None:
    """Reopen the source with a file as its ground truth; ask for the scale of 8-bit values.

    Raises:
        ValueError: the source cannot be opened again, or the file holds no values.
        OSError: the file cannot be read.
    """
    source, file = app.session.source, expanded(path)
    if not source.spec.left:
        raise ValueError(f"{source.name} has its own ground truth")
    app.state.bounds.require(file)
    stored = None if scale or is_packed(file) else read_8_bits(file)
    if stored is not None:
        _ask_for_scale(app, file, stored)
        return
    spec = source.spec.changed(truth=str(file), truth_scale=float(scale) if scale else None)
    open_keeping_look(app, source.name, spec, f"ground truth: {file.name}")


def _ask_for_scale(app: ProgramActions, file: Path, stored: NDArray[np.uint8]) -> None:
    """Ask for the scale of stored disparities; offer first the scale that fits run A's result."""

    def ask(ratio: float | None) -> None:
        expected = ratio or float(SCALES[0])
        ordered = sorted(SCALES, key=lambda scale: abs(math.log(float(scale) / expected)))
        first, *others = (Button(f"Scale {n}", ("use truth", str(file), n)) for n in ordered)
        note = "It contains integers: disparities in pixels times a scale."
        note += f" {first.label} fits the result best." if ratio else ""
        asks, about = "At which scale are the disparities stored?", (file.name,)
        app.state.question = Question(asks, about, note, first.effect, first.label, tuple(others))

    slot = app.state.slot
    image = slot.image(slot.pipeline.output)
    if not is_disparity(image):
        return ask(None)
    task = app.session.values_task(image.name)
    app.background.follow(task, lambda values: ask(ratio_of(stored, values * image.scale)))


def ratio_of(stored: NDArray[np.uint8], disparities: NDArray[np.floating]) -> float | None:
    """Return the median ratio of stored numbers to disparities; None without valid pixels."""
    if stored.shape != disparities.shape:
        return None
    known = (stored > 0) & (disparities > 0)
    return float(np.median(stored[known] / disparities[known])) if known.any() else None


def use_network(app: ProgramActions, path: str) -> None:
    """Declare the network in a file as a variant of ``sgm``, and use it in run A.

    Raises:
        ValueError: this window serves others, who may not load networks.
    """
    if app.state.bounds.root:
        raise ValueError("networks can be loaded only from the command line")
    name = f"{NETWORKS}{path}"

    def use(network: OwnVariant) -> None:
        network.declare()
        app.state.choose_pipeline(network.pipeline)
        app.state.choose_variant(name)

    app.background.open(f"opening {Path(path).name}", partial(read_peer, name), use)


def search(app: ProgramActions, count: str, first: str) -> None:
    """Set the number of disparities that run A searches, and the first one."""
    slot = app.state.slot
    changed = slot.params.changed(disparities=int(count), min_disparity=int(first))
    app.state.slot = replace(slot, params=changed)
    app.state.hint(f"{count} disparities are searched, from {first} on")


def change_parameter(app: ProgramActions, name: str, value: str) -> None:
    """Set a parameter of run A; raise ``ValueError`` if the value is invalid."""
    slot = app.state.slot
    app.state.slot = replace(slot, params=slot.params.changed(**{name: value}))
    app.state.hint(f"{spoken(name)}: {value}")


def dismiss(app: ProgramActions, name: str) -> None:
    """Hide a warning for this source, also in later sessions."""
    if name == "single image":  # which is not about this source
        app.state.single = ""
        return
    if app.state.refused and app.state.refused.name == name:
        app.state.refused = None
        return
    state, key = app.state, key_of(app.session.source.spec)
    others = {each: names for each, names in state.dismissed.items() if each != key}
    state.dismissed = others | {key: (*state.dismissed.get(key, ()), name)}
    if state.bounds.saves_session:
        write_dismissed(state.dismissed)
