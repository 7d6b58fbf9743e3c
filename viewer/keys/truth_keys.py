"""What keys do to ground truth; ``viewer.keys.actions`` says which keys."""

from dataclasses import replace

from gpu.analysis.conventions import CONVENTIONS, REGIONS
from viewer.choices.judging import REGION_NAMES, SHOWS, is_disparity, judged_by
from viewer.choices.state import ViewerState


def show(state: ViewerState, position: int) -> None:
    """Show the error map, then the truth, then the result again."""
    names = list(SHOWS)
    set_show(state, names[(names.index(state.truth.show) + 1) % len(names)])


def set_show(state: ViewerState, name: str) -> None:
    """Show the result, its errors or the truth."""
    pipeline = state.slot.pipeline
    if name != "off" and not is_disparity(pipeline.image(pipeline.output)):
        state.message = f"{pipeline.name} computes no disparity that truth could judge"
        return
    state.truth = replace(state.truth, show=name)
    state.message = SHOWS[name] if name != "errors" else f"Errors: {state.truth.title}."


def convention(state: ViewerState, position: int) -> None:
    """Judge by the next convention, and the pixels that it judges first of all."""
    names = list(CONVENTIONS)
    set_convention(state, names[(names.index(state.truth.convention) + 1) % len(names)])


def set_convention(state: ViewerState, name: str) -> None:
    """Judge by a convention, and the pixels that it judges first of all."""
    state.truth = judged_by(state.truth, name)
    state.message = f"{state.truth.title}: {CONVENTIONS[name].help}"


def region(state: ViewerState, position: int) -> None:
    """Judge all pixels, or those that both views see."""
    one, other = REGIONS
    state.truth = replace(state.truth, region=other if state.truth.region == one else one)
    state.message = f"{REGION_NAMES[state.truth.region]} pixels are judged"


def jump(state: ViewerState, position: int) -> None:
    """Go to the next or the previous of the worst regions."""
    state.errands.append(("worst region", str((1, -1)[position])))
