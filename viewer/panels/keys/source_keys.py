"""The functions that keys call on the open sources; ``*_actions.py`` assign the keys."""

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.keys.action import MenuItem, requesting


def step(state: ViewerState, position: int) -> None:
    """Show the next or the previous open source."""
    state.request("step source", ("1", "-1")[position])


def sources(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the open sources as menu lines."""
    return tuple(
        MenuItem(
            each.title,
            requesting("show source", str(place)),
            each.kind,
            ticked=each.number == state.sources.shown,
        )
        for place, each in enumerate(state.sources.listed, 1)
    )


def sources_of_b(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the open sources as menu lines to show one as B; unsuitable ones state a reason."""
    shown, other = state.sources.shown, state.sources.compared
    return tuple(
        MenuItem(
            each.title,
            requesting("compare source", str(place)),
            each.kind,
            state.sources.why_not_b(each),
            each.number == (shown if other is None else other),
        )
        for place, each in enumerate(state.sources.listed, 1)
    )


def compare_next(state: ViewerState, position: int) -> None:
    """Compare A with the next suitable open source as B; after the last, with A's own source."""
    offers = sources_of_b(state)
    now = next((place for place, offer in enumerate(offers) if offer.ticked), 0)
    order = (*offers[now + 1 :], *offers[:now])
    able = [offer for offer in order if not offer.why_not]
    if able:
        able[0].run(state)
    else:
        state.hint("no other source of this size is open")
