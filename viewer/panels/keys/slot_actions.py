"""The keys that choose the runs of A and B and their comparison, as data."""

from wheatstone.viewer.choices import scrub
from wheatstone.viewer.panels.keys import program_keys, slot_keys, source_keys
from wheatstone.viewer.panels.keys.action import DIGITS, MIXED, SEQUENCE, SEVERAL, Action, pressing

COMPUTED_ACTIONS: tuple[Action, ...] = (
    Action(
        DIGITS,
        "choose variant",
        slot_keys.variant,
        "1..9",
        chooses=True,
        title="choose variant",
        offers=slot_keys.variants,
    ),
    Action(
        tuple(f"Ctrl+{d}" for d in DIGITS),
        "choose pipeline",
        slot_keys.pipeline,
        "Ctrl+1..9",
        chooses=True,
        title="choose pipeline",
        offers=slot_keys.pipelines,
    ),
    Action(
        ("P", "Shift+P"),
        "choose next or previous preset",
        slot_keys.preset,
        each=("choose next preset", "choose previous preset"),
        title="choose preset",
        offers=slot_keys.presets,
    ),
    Action(
        ("A", "Shift+A"),
        "compute next or previous path alone, then the first few, then all",
        scrub.scrub,
        each=("compute next path alone", "compute previous path alone"),
        also="scrub direction sgm teach",
    ),
)

COMPARED_ACTIONS: tuple[Action, ...] = (
    Action(
        tuple(f"{key}+{d}" for key in ("Shift", "Alt") for d in DIGITS),
        "choose variant of B",
        slot_keys.variant_b,
        "Shift+1..9",
        chooses=True,
        title="choose variant of B",
        offers=slot_keys.variants_b,
    ),
    Action(
        ("Ctrl+P",),
        "choose next preset of B, which then keeps its own parameters",
        slot_keys.preset_b,
        each=("choose next preset of B",),
        title="choose preset of B",
        offers=slot_keys.presets_b,
    ),
    *pressing("mixing.mode"),
    Action(("T",), "switch between A and B", slot_keys.toggle),
    Action(
        ("Left", "Right"),
        "change seam, blink period, onion share or difference reach",
        slot_keys.adjust,
        each=("decrease seam, period, share or reach", "increase seam, period, share or reach"),
        needs=MIXED,
    ),
    Action(("X",), "exchange A and B", lambda state, _: state.exchange(), also="swap"),
    Action(
        ("Alt+X",),
        "compare two settings of this pipeline",
        slot_keys.compare_settings,
        also="parameters thresholds variants side by side tune",
    ),
    Action(
        ("Ctrl+B",),
        "show next open source as B, or source of A again",
        source_keys.compare_next,
        each=("show next source as B",),
        title="choose source of B",
        offers=source_keys.sources_of_b,
        needs=SEVERAL,
        also="compare tabs images files another program",
    ),
    Action(
        ("Shift+X",),
        "unlink or link parameters of B",
        lambda state, _: state.link(not state.linked),
        on=(lambda state: not state.linked,),
    ),
    Action(
        ("Z",),
        "freeze or release frame of B",
        slot_keys.freeze,
        paths=("mixing.frozen",),
        on=(lambda state: state.mixing.frozen is not None,),
        needs=SEQUENCE,
    ),
    Action(
        ("E", "Shift+E"),
        "check equality of A and B: on screen, every stage",
        slot_keys.identity,
        each=("check equality of A and B", "check equality of every stage"),
        on=(lambda state: state.mixing.check, lambda state: state.stages),
        also="identical same difference verify parity",
    ),
    Action(
        ("J", "Shift+J"),
        "show next or previous difference of A and B",
        slot_keys.jump,
        each=("show next difference of A and B", "show previous difference of A and B"),
    ),
    Action(
        ("Shift+F4", "Ctrl+F4"),
        "start or stop race of variants, sweep of a parameter",
        program_keys.race,
        each=("race variants", "sweep parameter"),
        paths=("racing",),
        on=(lambda state: state.racing == "race", lambda state: state.racing == "sweep"),
        also="fastest speed benchmark time tune",
    ),
    Action(
        ("Shift+F7", "Ctrl+F7"),
        "show next kernel, whole files",
        program_keys.card,
        each=("show next kernel", "show whole files of kernels"),
        paths=("kernel_card.whole",),
        on=(lambda state: False, lambda state: state.kernel_card.whole),
        menu="Panels",
    ),
)
