"""The keys that choose the runs of A and B and their comparison, as data."""

from wheatstone.viewer.choices import scrub
from wheatstone.viewer.panels.keys import program_keys, slot_keys
from wheatstone.viewer.panels.keys.action import DIGITS, MIXED, SEQUENCE, Action, pressing

COMPUTED_ACTIONS: tuple[Action, ...] = (
    Action(
        DIGITS,
        "variant",
        slot_keys.variant,
        "1..9",
        chooses=True,
        title="variant",
        offers=slot_keys.variants,
    ),
    Action(
        tuple(f"Ctrl+{d}" for d in DIGITS),
        "pipeline",
        slot_keys.pipeline,
        "Ctrl+1..9",
        chooses=True,
        title="pipeline",
        offers=slot_keys.pipelines,
    ),
    Action(
        ("P", "Shift+P"),
        "next or previous preset",
        slot_keys.preset,
        each=("next preset", "previous preset"),
        title="preset",
        offers=slot_keys.presets,
    ),
    Action(
        ("A", "Shift+A"),
        "next or previous path alone, then the first few, then all",
        scrub.scrub,
        each=("path scrub: next", "path scrub: previous"),
    ),
)

COMPARED_ACTIONS: tuple[Action, ...] = (
    Action(
        tuple(f"{key}+{d}" for key in ("Shift", "Alt") for d in DIGITS),
        "variant of B",
        slot_keys.variant_b,
        "Shift+1..9",
        chooses=True,
        title="variant of B",
        offers=slot_keys.variants_b,
    ),
    Action(
        ("Ctrl+P",),
        "next preset of B, whose parameters are its own from then on",
        slot_keys.preset_b,
        each=("next preset of B",),
        title="preset of B",
        offers=slot_keys.presets_b,
    ),
    *pressing("mixing.mode"),
    Action(("T",), "toggle between A and B", slot_keys.toggle),
    Action(
        ("Left", "Right"),
        "seam, blink period, onion's mix or difference's reach",
        slot_keys.adjust,
        each=("less: seam, blink, onion, reach", "more: seam, blink, onion, reach"),
        needs=MIXED,
    ),
    Action(("X",), "exchange A and B", lambda state, _: state.exchange()),
    Action(
        ("Shift+X",),
        "B keeps its own parameters, or takes A's",
        lambda state, _: state.link(not state.linked),
        on=(lambda state: not state.linked,),
    ),
    Action(
        ("Z",),
        "B stays at this frame, or follows",
        slot_keys.freeze,
        paths=("mixing.frozen",),
        on=(lambda state: state.mixing.frozen is not None,),
        needs=SEQUENCE,
    ),
    Action(
        ("E", "Shift+E"),
        "check that A and B are equal: on screen, every stage",
        slot_keys.identity,
        each=("check that A and B are equal", "check every stage of A and B"),
        on=(lambda state: state.mixing.check, lambda state: state.stages),
    ),
    Action(
        ("J", "Shift+J"),
        "next or previous place where A and B differ",
        slot_keys.jump,
        each=("next place where A and B differ", "previous place where A and B differ"),
    ),
    Action(
        ("Shift+F4", "Ctrl+F4"),
        "start or stop a race, a sweep",
        program_keys.race,
        each=("race: which variant is fastest, or stop", "sweep a parameter, or stop"),
        paths=("racing",),
        on=(lambda state: state.racing == "race", lambda state: state.racing == "sweep"),
    ),
    Action(
        ("Shift+F7", "Ctrl+F7"),
        "next kernel, whole files",
        program_keys.card,
        each=("read the next kernel", "read whole files, or what a kernel uses"),
        paths=("kernel_card.whole",),
        menu="Panels",
    ),
)
