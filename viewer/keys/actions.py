"""What keys do: one table, read by the window, the palette, the help overlay and the README."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpu.parameters import controls
from gpu.pipeline import Pipeline
from viewer.choices import scrub
from viewer.choices.mixing import DIFFERENCES, WIPES
from viewer.choices.state import ViewerState
from viewer.keys import look_keys, mixing_keys, race_keys, truth_keys, view_keys
from viewer.panels import PANELS


@dataclass(frozen=True)
class Action:
    """Something keys do.

    Attributes:
        keys: the keys that do it, such as ``Ctrl+1``, ``Shift+[``, ``F11``.
        run: does it; called with the state and the position of the pressed key in ``keys``.
        short: the keys as shown to people; empty: all of ``keys``.
        each: for the palette, what every key does; empty: all do what ``help`` says.
        chooses: whether every key takes one of a list, whose entries the palette has already.
    """

    keys: tuple[str, ...]
    help: str
    run: Callable[[ViewerState, int], None]
    short: str = ""
    each: tuple[str, ...] = ()
    chooses: bool = False

    @property
    def shown_keys(self) -> str:
        """The keys as shown to people."""
        return self.short or " ".join(self.keys)


DIGITS = tuple("123456789")
COMPUTED, SHOWN, COMPARED, KEPT, PROGRAM, OPENED = (
    "What is computed",
    "What is shown",
    "A and B",
    "To keep and to open",
    "Program",
    "Panels",
)

FIXED: Mapping[str, tuple[Action, ...]] = {
    COMPUTED: (
        Action(DIGITS, "variant", view_keys.variant, "1..9", chooses=True),
        Action(
            tuple(f"Ctrl+{d}" for d in DIGITS),
            "pipeline",
            view_keys.pipeline,
            "Ctrl+1..9",
            chooses=True,
        ),
        Action(
            ("P", "Shift+P"),
            "next or previous preset",
            view_keys.preset,
            each=("next preset", "previous preset"),
        ),
        Action(
            ("A", "Shift+A"),
            "next or previous path alone, then the first few, then all",
            scrub.scrub,
            each=("path scrub: next", "path scrub: previous"),
        ),
    ),
    SHOWN: (
        Action(
            ("V", "Shift+V"),
            "next or previous view",
            view_keys.view,
            each=("next view", "previous view"),
        ),
        Action(
            ("M", "Shift+M"),
            "next or previous colour map",
            view_keys.colormap,
            each=("next colour map", "previous colour map"),
        ),
        Action(("N",), "fit the range to what is visible", view_keys.errand("fit range")),
        Action(("R",), "range as declared", look_keys.reset_range),
        Action(("Shift+R",), "colour bar on or off", look_keys.colorbar),
        Action(("Shift+I",), "pin the pixel inspected, or release it", view_keys.errand("pin")),
        Action(
            ("Shift+G", "Ctrl+G"),
            "histogram: logarithmic, of the whole image",
            look_keys.histogram,
            each=("histogram: linear or logarithmic", "histogram: all or what is seen"),
        ),
        Action(("Y",), "errors, then ground truth, then the result", truth_keys.show),
        Action(("U",), "judge by the next convention", truth_keys.convention),
        Action(("Shift+U",), "judge all pixels, or the non-occluded", truth_keys.region),
        Action(
            ("Shift+Y", "Ctrl+Y"),
            "next or previous of the worst regions",
            truth_keys.jump,
            each=("worst regions: next", "worst regions: previous"),
        ),
        Action(("F",), "fit the picture to the window", view_keys.fit),
        Action(("Space",), "pause or play", view_keys.pause),
        Action(
            (",", "."),
            "previous or next frame",
            view_keys.step_frame,
            each=("previous frame", "next frame"),
        ),
    ),
    COMPARED: (
        Action(
            tuple(f"{key}+{d}" for key in ("Shift", "Alt") for d in DIGITS),
            "variant of B",
            mixing_keys.variant_b,
            "Shift+1..9",
            chooses=True,
        ),
        Action(("C",), "A beside B, or A only", mixing_keys.mode("side-by-side")),
        Action(
            ("W", "Shift+W"),
            "wipe from A to B, across or down",
            mixing_keys.mode(*WIPES),
            each=("wipe from A to B, across", "wipe from A to B, down"),
        ),
        Action(("B",), "blink between A and B", mixing_keys.mode("blink")),
        Action(("O",), "onion: B shines through A", mixing_keys.mode("onion")),
        Action(
            ("D", "Shift+D"),
            "difference of A and B, absolute or signed",
            mixing_keys.mode(*DIFFERENCES),
            each=("difference of A and B", "signed difference of A and B"),
        ),
        Action(("T",), "toggle between A and B", mixing_keys.toggle),
        Action(
            ("Left", "Right"),
            "seam, blink period, onion's mix or difference's reach",
            mixing_keys.adjust,
            each=("less: seam, blink, onion, reach", "more: seam, blink, onion, reach"),
        ),
        Action(("X",), "exchange A and B", mixing_keys.exchange),
        Action(("Shift+X",), "B keeps its own parameters, or takes A's", mixing_keys.link),
        Action(("Z",), "B stays at this frame, or follows", mixing_keys.freeze),
        Action(
            ("E", "Shift+E"),
            "check that A and B are equal: on screen, every stage",
            mixing_keys.identity,
            each=("check that A and B are equal", "check every stage of A and B"),
        ),
        Action(
            ("J", "Shift+J"),
            "next or previous place where A and B differ",
            mixing_keys.jump,
            each=("next place where A and B differ", "previous place where A and B differ"),
        ),
        Action(
            ("Shift+F4", "Ctrl+F4"),
            "start or stop a race, a sweep",
            race_keys.race,
            each=("race the variants, or stop", "sweep a parameter, or stop"),
        ),
        Action(
            ("Shift+F7", "Ctrl+F7"),
            "next kernel, whole files",
            race_keys.card,
            each=("read the next kernel", "read whole files, or what a kernel uses"),
        ),
    ),
    KEPT: (
        Action(("S",), "screenshot that can restore all settings", view_keys.errand("screenshot")),
        Action(("Ctrl+S",), "screenshot, values and settings", view_keys.errand("save all")),
        Action(("L",), "copy the command line that shows this", view_keys.errand("copy line")),
        Action(("F5",), "read the source again", view_keys.errand("reload")),
    ),
    PROGRAM: (
        Action(("Ctrl+Shift+P",), "find anything by its name", view_keys.palette),
        Action(("H", "F1"), "this help", view_keys.switch("help")),
        Action(("Tab",), "hide or show panels and status line", view_keys.switch("panels")),
        Action(("F11",), "full screen", view_keys.switch("fullscreen")),
        Action(
            ("Esc",),
            "cancel a slow frame, close what lies on top, stop a race, or quit",
            view_keys.close,
        ),
        Action(("Q",), "quit", view_keys.quit),
    ),
}


def grouped(pipeline: Pipeline) -> dict[str, tuple[Action, ...]]:
    """All actions while a pipeline is shown, under their headings."""
    stepping = tuple(
        Action(
            control.keys,
            f"{(spoken := name.replace('_', ' '))} down or up",
            view_keys.stepper(name),
            each=(f"{spoken} down", f"{spoken} up"),
        )
        for name, control in controls(pipeline.params).items()
        if control.keys
    )
    toggles = tuple(
        Action((panel.key,), f"panel: {panel.help}", view_keys.toggle(panel)) for panel in PANELS
    )
    own = {COMPUTED: FIXED[COMPUTED] + stepping}
    return {**FIXED, **own, **({OPENED: toggles} if toggles else {})}


def actions(pipeline: Pipeline) -> tuple[Action, ...]:
    """All actions while a pipeline is shown, in the order of their headings."""
    return tuple(action for group in grouped(pipeline).values() for action in group)


def press(state: ViewerState, key: str) -> bool:
    """Do what a key does; False if it does nothing."""
    for action in actions(state.slot.pipeline):
        if key in action.keys:
            action.run(state, action.keys.index(key))
            return True
    return False


def key_table(pipeline: Pipeline) -> str:
    """The actions as a Markdown table."""
    rows = [f"| `{action.shown_keys}` | {action.help} |" for action in actions(pipeline)]
    return "\n".join(["| Keys | What they do |", "| --- | --- |", *rows])
