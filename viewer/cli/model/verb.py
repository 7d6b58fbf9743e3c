"""``wheatstone model probe``: determine a network's input and output conventions by trial."""

from dataclasses import MISSING, fields

import tomli_w

from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.viewer.cli.model.request import ModelRequest
from wheatstone.viewer.io.files.output import check_file, whole_file
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.regular_files import open_regular
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.run.peers.own_peer import card_of
from wheatstone.viewer.run.peers.probing import TIE, ModelReading, probe

SURE = 0.3
"""The share of wrong pixels from which on no reading counts as that of the network."""


def model(request: ModelRequest) -> int:
    """Probe a stereo network, write its description; return 1 if no known convention fits, else 0.

    Raises:
        OSError, ValueError: the file is no stereo network, or its description exists already.
        Unavailable: ONNX Runtime is not installed.
    """
    out = card_of(request.file)
    with open_regular(request.file):
        pass
    if out.exists() and not request.replace:
        raise ValueError(f"{out} exists already; --replace writes it again")
    check_file(out)
    with ProgressLine() as line:
        readings = probe(request.file, line.show)
    if not readings:
        raise ValueError(f"{request.file}: no output is an image of disparities")
    best = readings[0]
    for text in _findings(readings):
        print(text)
    if best.wrong > SURE:
        say(f"no known convention fits: {out} is not written; write it if you know the convention")
        return 1
    with whole_file(out) as path:
        path.write_text(description(best.card))
    say(f"wrote {out}")
    return 0


def description(card: ModelCard) -> str:
    """Format the description of a network as TOML, without default values."""
    values = {each.name: getattr(card, each.name) for each in fields(card)}
    usual = {each.name: each.default for each in fields(card) if each.default is not MISSING}
    changed = {name: value for name, value in values.items() if value != usual.get(name, MISSING)}
    lists = {n: list(value) if isinstance(value, tuple) else value for n, value in changed.items()}
    return tomli_w.dumps(lists)


def _findings(readings: list[ModelReading]) -> list[str]:
    """Describe in sentences which of the known conventions fits a network best, and by how much."""
    best = readings[0]
    lines = [f"{best.words}: {best.wrong:.1%} of the pixels are wrong"]
    others = [each for each in readings if each.words != best.words]
    if others:
        margin = others[0].wrong - best.wrong
        sure = "as good" if margin < TIE else f"{margin:.1%} more are wrong"
        lines.append(f"the second-best convention, {others[0].words}: {sure}")
    return lines
