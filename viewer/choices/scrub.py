"""Functions that show only some terms of a sum, such as single paths of path aggregation.

The pipeline declares as ``terms`` which sum it is, and which parameters choose its terms.
"""

from dataclasses import replace

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Terms
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.run.run import Run

Part = tuple[int, int]  # numbers of the first and of the last term summed


def parts(count: int) -> tuple[Part, ...]:
    """List the selections of a sum's terms to show: all, each alone, the first two, and so on."""
    alone = [(number, number) for number in range(1, count + 1)]
    growing = [(1, number) for number in range(2, count)]
    return tuple(dict.fromkeys([(1, count), *alone, *growing]))


def described(terms: Terms, params: Params, part: Part) -> str:
    """Describe a selection of a sum's terms, such as "path 3 of 8 alone: ↑"."""
    count, (first, last) = terms.count(params), part
    names = " ".join(terms.names(params)[first - 1 : last])
    if part == (1, count):
        return f"all {count} {terms.noun}s: {names}"
    if first == last:
        return f"{terms.noun} {first} of {count} alone: {names}"
    if first == 1:
        return f"the first {last} of {count} {terms.noun}s: {names}"
    return f"{terms.noun}s {first} to {last} of {count}: {names}"


def scrub(state: ViewerState, position: int) -> None:
    """Show the next (``position`` 0) or previous (1) part of the sum in run A, with a message."""
    terms, params = state.slot.pipeline.terms, state.slot.params
    if not terms:
        state.hint(f"{state.slot.pipeline.name} has no sum whose terms can be shown alone")
        return
    shown = parts(terms.count(params))
    here = terms.summed(params)
    place = shown.index(here) if here in shown else 0
    choose_part(state, shown[(place + (1, -1)[position]) % len(shown)])


def choose_part(state: ViewerState, part: Part) -> None:
    """Show a part of the sum in run A's pipeline; raise ``ValueError`` if it has no such part."""
    terms = state.slot.pipeline.terms
    if not terms:
        raise ValueError(f"{state.slot.pipeline.name} declares no terms of a sum")
    state.slot = _summing(state.slot, terms, part)
    state.hint(described(terms, state.slot.params, part))


def _summing(slot: Run, terms: Terms, part: Part) -> Run:
    """Copy a run so that its pipeline sums only a selection of the terms.

    The end of a part that reaches the last term is set no lower than the default end, so that the
    part still reaches the last term once another parameter adds terms.
    """
    first, last = part
    if last == terms.count(slot.params):
        last = max(last, type(slot.params)().values()[terms.last])
    return replace(slot, params=slot.params.changed(**{terms.first: first, terms.last: last}))
