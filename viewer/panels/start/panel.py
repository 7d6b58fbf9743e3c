"""The start page: sources to open, recent sources, the result's colours, and a tour."""

from typing import TYPE_CHECKING

from wheatstone.viewer.choices.dialogs import Recent
from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.colormaps import COLORMAPS_MEAN
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.io.scenes import SCENES, SCENES_SHOW
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.start.looking import (
    COLORS,
    MOST,
    OPEN,
    StartQueries,
    camera_rows,
    columns_of,
    look,
    place_words,
    recent_words,
)
from wheatstone.viewer.panels.widgets import (
    QUIET,
    clipped,
    disabled,
    draw_tip,
    draw_wrapped,
    text_width,
)

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.texture import PictureTexture

ABOUT = "Compute disparity, depth and 3D points from a stereo pair, live and with many variants."
PATH_HINT = "type or paste a path"
PATH_HELP = (
    "The left image, whose right one is found by its name, both images, a folder, or a video. "
    "Ctrl+V pastes a path unless text is being edited; / and ~ begin one."
)
PICTURE_WIDTH, PICTURE_HEIGHT = 64, 48  # of a small picture, in units of an unscaled screen


class StartPanel(Body):
    """The contents of the start page, drawn while it is open."""

    def __init__(self) -> None:
        self._looks: Task[StartQueries] | None = None
        self._textures: dict[int, PictureTexture] = {}
        self._of: tuple[Recent, ...] = ()

    @property
    def busy(self) -> bool:
        return self._looks is not None and not self._looks.done

    @property
    def _results(self) -> StartQueries | None:
        """Return the results of the background queries; None before they are finished."""
        return self._looks.result(0) if self._looks and self._looks.done else None

    def update(self, context: PanelContext) -> None:
        """Start the background queries, and repeat them when the list of recent sources changes."""
        if self._looks is None or self._of != context.state.recent:
            self._of = context.state.recent
            self.close()
            self._looks = look(self._of)

    def draw(self, context: PanelContext) -> None:
        """Draw the start page, section by section."""
        draw_wrapped(ABOUT, QUIET)
        results, state = self._results, context.state
        imgui.separator_text("Open")
        self._draw_open(state, results)
        imgui.separator_text("Built-in scenes")
        _draw_scenes(state)
        imgui.separator_text("Recent")
        self._draw_recent(state, results, context.scale)
        imgui.separator_text("Colours")
        _draw_colors(state)
        imgui.separator_text("New here?")
        if imgui.button("Start tour", (-1, 0)):
            state.effects.append(("tour", "begin"))
        if imgui.button(for_pointer("Open lessons (F8)"), (-1, 0)):
            state.open_panels.discard(START)
            state.show_panel(LESSON)

    def _draw_open(self, state: ViewerState, results: StartQueries | None) -> None:
        """Draw the buttons that open files and cameras; disabled ones are grey, with the reason."""
        why_not = results.no_video if results else ""
        if _draw_field(PATH_HINT):
            state.request("type path")
        draw_tip(PATH_HELP)
        for way in OPEN:
            _draw_button(state, way.title, way.effect, why_not if way.plays else "", way.help)
        draw_wrapped("or drop pictures or a folder on the window")
        for camera in camera_rows(results):
            if camera.effect:
                _draw_button(state, camera.title, camera.effect, camera.why_not or why_not, "")
            else:
                draw_wrapped(camera.title)
        if why_not:
            draw_wrapped(why_not)
        imgui.spacing()

    def _draw_recent(self, state: ViewerState, results: StartQueries | None, scale: float) -> None:
        if not state.recent:
            draw_wrapped("sources that you open are listed here")
        for place, recent in enumerate(state.recent[:MOST]):
            gone = results.gone.get(place, "") if results else ""
            corner = imgui.get_cursor_pos()
            if _draw_choice(place, recent_words(recent, gone), bool(gone), scale):
                state.effects.append(("open recent", str(place)))
            below = imgui.get_cursor_pos()
            self._draw_picture(place, results, (corner.x, corner.y), scale)
            left = corner.x + (PICTURE_WIDTH + 10) * scale
            _draw_lines((left, corner.y), recent.title, place_words(recent, gone), bool(gone))
            imgui.set_cursor_pos(below)
            imgui.dummy((0, 0))

    def _draw_picture(
        self, place: int, results: StartQueries | None, corner: tuple[float, float], scale: float
    ) -> None:

        from wheatstone.viewer.display.screen.texture import PictureTexture

        picture = results.pictures.get(place) if results else None
        if picture is None:
            return
        if place not in self._textures:
            self._textures[place] = PictureTexture(picture)
        height, width = picture.shape[:2]
        factor = min(PICTURE_WIDTH / width, PICTURE_HEIGHT / height) * scale
        imgui.set_cursor_pos(corner)
        number = self._textures[place].number
        imgui.image(imgui.ImTextureRef(number), (width * factor, height * factor))

    def close(self) -> None:
        for texture in self._textures.values():
            texture.close()
        self._textures.clear()


def _draw_choice(place: int, words: str, gone: bool, scale: float) -> bool:
    """Draw the clickable row behind a recent source's texts; return whether it was clicked."""
    size = (imgui.get_content_region_avail().x, PICTURE_HEIGHT * scale)
    with disabled(gone):
        clicked = bool(imgui.selectable(f"##recent {place}", False, 0, size)[0])
    draw_tip(words)
    return clicked


def _draw_lines(corner: tuple[float, float], title: str, place: str, gone: bool) -> None:
    for number, text in enumerate((title, place)):
        imgui.set_cursor_pos((corner[0], corner[1] + number * imgui.get_text_line_height()))
        fitting = clipped(text, imgui.get_content_region_avail().x, text_width)
        if gone or number:
            imgui.text_disabled(fitting)
        else:
            imgui.text(fitting)


def _draw_scenes(state: ViewerState) -> None:
    """Draw a button for every built-in scene, as many side by side as fit."""
    style, room = imgui.get_style(), imgui.get_content_region_avail().x
    needed = max(map(text_width, SCENES)) + 2 * style.frame_padding.x
    columns = columns_of(len(SCENES), needed, style.item_spacing.x, room)
    width = (room - style.item_spacing.x * (columns - 1)) / columns
    for place, (scene, shows) in enumerate(SCENES_SHOW.items()):
        if place % columns:
            imgui.same_line()
        if imgui.button(scene, (width, 0)):
            state.effects.append(("open scene", scene))
        draw_tip(shows)


def _draw_colors(state: ViewerState) -> None:
    """Draw the choice of the results' colour map, which is stored for the next start."""
    for name in COLORS:
        if imgui.radio_button(name, state.colormap == name):
            choose(state, "colormap", name)
        imgui.same_line()
        draw_wrapped(COLORMAPS_MEAN[name], QUIET)


def _draw_field(hint: str) -> bool:
    """Draw a button that looks like an empty text field; return whether it was clicked."""
    ground = imgui.get_style_color_vec4(imgui.Col_.frame_bg)
    imgui.push_style_color(imgui.Col_.button, ground)
    imgui.push_style_color(imgui.Col_.text, QUIET)
    imgui.push_style_var(imgui.StyleVar_.button_text_align, (0.0, 0.5))
    clicked = imgui.button(hint, (-1, 0))
    imgui.pop_style_var()
    imgui.pop_style_color(2)
    return bool(clicked)


def _draw_button(
    state: ViewerState, title: str, effect: tuple[str, ...], why_not: str, help: str
) -> None:
    with disabled(why_not):
        if imgui.button(title, (-1, 0)):
            state.request(*effect)
    draw_tip(why_not or help)
