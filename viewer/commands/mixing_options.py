"""Options that say what B is and how A and B are shown together."""

import argparse
from dataclasses import replace
from typing import Any

from gpu import Unavailable
from gpu.parameters import controls, defaults
from gpu.pipelines import PIPELINES
from viewer.choices.mixing import BOUNDS, MODES, Mixing
from viewer.choices.presets import with_preset
from viewer.choices.slot import Slot, default_slot
from viewer.choices.state import ViewerState
from viewer.options import parameter_value

AMOUNTS = {
    "seam": "wipe: where the seam lies, from 0 to 1",
    "period": "blink: seconds that A and B take together",
    "share": "onion: how much of it is B, from 0 to 1",
    "reach": "difference: the largest one with a colour of its own, as a share of the range shown",
}


def add_mixing(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("two slots: A as above, and B")
    modes = "; ".join(f"{name}: {help.rstrip('.')}" for name, help in MODES.items())
    group.add_argument("--compare", choices=MODES, metavar="MODE", help=modes)
    group.add_argument("--b-pipeline", choices=PIPELINES, metavar="P", help="default: that of A")
    group.add_argument("--b-variant", metavar="V", help="default: a fast one that A is not")
    group.add_argument("--b-preset", metavar="P", help="named settings of B; default: those of A")
    group.add_argument("--b-view", metavar="VIEW", help="of B's pipeline, if it is another")
    help = "single parameters of B, such as p2=99 subpixel=off"
    group.add_argument("--b-set", nargs="+", type=setting, metavar="NAME=VALUE", help=help)
    group.add_argument("--b-frame", type=int, metavar="N", help="frame that B stays at")
    for name, help in AMOUNTS.items():
        default = getattr(Mixing(), name)
        group.add_argument(
            f"--{name}", type=float, metavar="X", help=f"{help} (default: {default:g})"
        )
    help = "say in the picture whether A and B are the same"
    action = argparse.BooleanOptionalAction
    group.add_argument("--identity", action=action, default=None, help=help)


def setting(text: str) -> tuple[str, str]:
    """NAME=VALUE; the name may have dashes."""
    name, given, value = text.partition("=")
    if not given:
        raise argparse.ArgumentTypeError(f"a setting is NAME=VALUE, such as p2=99 (got {text!r})")
    return name.replace("-", "_"), value


def apply_mixing(state: ViewerState, options: argparse.Namespace) -> None:
    """Set B and what of A and B is shown.

    Raises:
        ValueError: there is no such variant, preset or parameter, or a value is out of bounds.
        Unavailable: B's variant needs a device that is absent.
    """
    if options.b_pipeline or options.b_preset or options.b_set:
        state.b, state.linked = _slot_b(state, options), False
    if options.b_variant:
        variant = state.slot_b.pipeline.variant(options.b_variant)
        if why := state.absent.get(variant.device, ""):
            raise Unavailable(f"B's variant {variant.name} needs a GPU: {why}")
        state.b = replace(state.slot_b, variant=variant.name)
    if options.b_view:
        pipeline = state.slot_b.pipeline
        state.views[pipeline.name] = pipeline.view(options.b_view).name
    asked = {"mode": options.compare, "frozen": options.b_frame, "check": options.identity}
    asked |= {name: getattr(options, name) for name in BOUNDS}
    state.mix(**{name: value for name, value in asked.items() if value is not None})


def _slot_b(state: ViewerState, options: argparse.Namespace) -> Slot:
    slot = state.slot_b
    if options.b_pipeline and options.b_pipeline != slot.pipeline.name:
        slot = default_slot(options.b_pipeline, state.absent)
    if options.b_preset:
        slot = with_preset(state, slot, options.b_preset)
    known = controls(slot.pipeline.params)
    changes: dict[str, Any] = {}
    for name, text in options.b_set or ():
        if name not in known:
            raise ValueError(
                f"{slot.pipeline.name} has no parameter {name!r}; it has {', '.join(known)}"
            )
        default = defaults(slot.pipeline.params)[name]
        changes[name] = parameter_value(known[name], default, name, text)
    return replace(slot, params=slot.params.changed(**changes))
