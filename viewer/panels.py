"""What Dear ImGui draws on top of the picture: the status line, messages and the help."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest

from gpu.parameters import controls
from gpu.pipeline import View
from viewer.actions import actions
from viewer.caption import TONES
from viewer.identity import Badge
from viewer.mixing import WIPES
from viewer.session import Facts, Session
from viewer.state import ViewerState

SEPARATOR = "  ·  "
BAR_HEIGHT = 32  # in units of an unscaled screen


@dataclass(frozen=True)
class Status:
    """The status line in words, one cell each.

    Attributes:
        remark: what the variant has to say; it stands last, for it may be long.
    """

    cells: tuple[str, ...]
    remark: str = ""

    def __str__(self) -> str:
        return SEPARATOR.join(self.cells)


def status(
    state: ViewerState,
    facts: Facts,
    size: tuple[int, int],
    rate: float,
    second: Facts | None = None,
) -> Status:
    """The status line: pipeline, variant, device, size, parameters, time, rate, display mode.

    Args:
        facts: of A, or of B where only B is computed.
        size: width and height of the source in pixels.
        rate: frames presented per second.
        second: of B, where both are computed.
    """
    slot = state.slot if state.mixing.uses_a else state.slot_b
    name = f"{slot.variant} (peer)" if slot.declaration.peer else slot.variant
    time = _milliseconds(facts)
    if second:
        time = f"A {time}, B {state.slot_b.variant} {_milliseconds(second)}"
    cells = [slot.pipeline.name, name, facts.device, f"{size[0]} x {size[1]}"]
    for parameter, control in controls(type(slot.params)).items():
        if control.symbol:
            cells.append(f"{control.symbol} {slot.params.values()[parameter]}")
    remark = slot.declaration.remark(slot.params, size[1], size[0])
    return Status((*cells, time, f"{rate:.0f} fps", facts.mode), remark)


def _milliseconds(facts: Facts) -> str:
    return "- ms" if facts.milliseconds is None else f"{facts.milliseconds:.2f} ms"


def mouse_actions(view: View, *, wipes: bool = False) -> tuple[tuple[str, str], ...]:
    """What the mouse does in a view: gesture and effect.

    Args:
        wipes: whether there is a seam to take hold of.
    """
    wheel = [("mouse wheel", "zoom at the cursor")]
    if wipes:
        wheel.append(("drag the seam", "move it"))
    if not view.region:
        return (*wheel, ("drag", "move the picture"))
    region = view.region.replace("_", " ")
    return (
        *wheel,
        ("drag on the left image", f"draw the {region}"),
        ("Shift+drag, right drag", "move the picture"),
    )


def bar_height(state: ViewerState, scale: float) -> int:
    """Height of the status line in pixels, which the picture leaves free; 0 when it is hidden."""
    return round(BAR_HEIGHT * scale) if state.panels else 0


def draw(state: ViewerState, session: Session, rate: float, scale: float) -> None:
    """Draw the panels the state asks for.

    Args:
        rate: frames presented per second.
        scale: pixels a unit of the unscaled screen.
    """
    if state.panels:
        _status_line(state, session, rate, scale)
    if state.help:
        _help(state)


def draw_stages(frame: int, badges: Mapping[str, Badge]) -> None:
    """Draw a window that says of every image whether A and B agree on it."""
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_bg_alpha(0.96)
    imgui.begin("stages", None, _bar_flags() | int(imgui.WindowFlags_.always_auto_resize))
    imgui.text(f"A and B, image by image, frame {frame}")
    imgui.separator()
    if imgui.begin_table("stages", 2):
        for name, badge in badges.items():
            red, green, blue = (level / 255 for level in TONES[badge.tone])
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.text(name)
            imgui.table_next_column()
            imgui.text_colored((red, green, blue, 1.0), badge.text)
        imgui.end_table()
    imgui.end()


def _status_line(state: ViewerState, session: Session, rate: float, scale: float) -> None:
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    height = bar_height(state, scale)
    imgui.set_next_window_pos((0, screen.y - height))
    imgui.set_next_window_size((screen.x, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.begin("status", None, _bar_flags())
    imgui.pop_style_var()
    remark = ""
    if session.prepared:
        size = (session.source.width, session.source.height)
        both = state.mixing.uses_a and state.mixing.uses_b
        second = session.facts("b") if both else None
        shown = status(state, session.facts(), size, rate, second)
        imgui.text(str(shown))
        remark = shown.remark
    for text, color in ((state.message, (1.0, 0.78, 0.35, 1.0)), (remark, (0.6, 0.6, 0.62, 1.0))):
        if text:
            imgui.same_line(0, imgui.get_font_size() * 2)
            imgui.text_colored(color, text)
    imgui.end()


def _bar_flags() -> int:
    from imgui_bundle import imgui

    flags = imgui.WindowFlags_
    return int(flags.no_decoration | flags.no_move | flags.no_saved_settings | flags.no_nav)


def _help(state: ViewerState) -> None:
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    imgui.set_next_window_pos((screen.x / 2, screen.y / 2), imgui.Cond_.always, (0.5, 0.5))
    imgui.set_next_window_bg_alpha(0.96)  # text over a busy picture
    imgui.begin("help", None, _bar_flags() | int(imgui.WindowFlags_.always_auto_resize))
    rows = [(action.shown_keys, action.help) for action in actions(state.slot.pipeline)]
    rows += mouse_actions(state.view, wipes=state.mixing.mode in WIPES)
    if imgui.begin_table("keys", 4):  # in two columns, each a column of keys and one of words
        half = -(-len(rows) // 2)
        for left, right in zip_longest(rows[:half], rows[half:], fillvalue=("", "")):
            imgui.table_next_row()
            for keys, help in (left, right):
                imgui.table_next_column()
                imgui.text_colored((0.55, 0.8, 1.0, 1.0), keys)
                imgui.table_next_column()
                imgui.text(help)
        imgui.end_table()
    imgui.separator()
    for number, variant in enumerate(state.slot.pipeline.variants, 1):
        shown = variant.name == state.slot.variant
        color = (1.0, 0.78, 0.35, 1.0) if shown else (0.85, 0.85, 0.85, 1.0)
        imgui.text_colored(color, f"{number}  {variant.name}: {variant.help}")
    imgui.end()
