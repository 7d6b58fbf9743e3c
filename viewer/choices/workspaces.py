"""Workspaces: arrangements of panels for a task, with the panels that are open.

``WORKSPACES`` declares them. The user's changes of a workspace are kept under its name; an
arrangement with a name of its own is one more workspace.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from wheatstone.viewer.choices.declared import current_name
from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.choices.panel_choices import START, TIMELINE

Place = Literal["left", "right", "below", "beside", "foot", "float"]
"""A side of the picture; next to it, with most of its width; at the foot, or over all."""
Box = tuple[float, float, float, float]
"""Left, top, width and height as fractions of the window between its bars."""
BOX: Box = (0.3, 0.2, 0.4, 0.5)
SMALLEST_SHARE, LARGEST_SHARE = 0.05, 20.0
SMALLEST_BOX = 0.05
MOST_NAMED = 20  # arrangements that the user named
LONGEST_NAME = 24


@dataclass(frozen=True)
class PanelPlace:
    """The place of a panel that the user moved: a side of the picture, or a floating box.

    Attributes:
        share: its part of its side's length, relative to its neighbours'.
        box: its rectangle while its place is ``float``.

    Raises:
        ValueError: a number is out of bounds.
    """

    place: Place
    share: float = 1.0
    box: Box = BOX

    def __post_init__(self) -> None:
        if not SMALLEST_SHARE <= self.share <= LARGEST_SHARE:
            bounds = f"[{SMALLEST_SHARE:g}, {LARGEST_SHARE:g}]"
            raise ValueError(f"a panel's share must be in {bounds} (got {self.share:g})")
        if not (all(0 <= part <= 1 for part in self.box) and min(self.box[2:]) >= SMALLEST_BOX):
            raise ValueError(f"a panel's box consists of fractions of the window (got {self.box})")


def boxed(left: float, top: float, width: float, height: float) -> Box:
    """Return a panel's box clamped to the window and to a minimum size."""
    width, height = (min(max(side, SMALLEST_BOX), 1.0) for side in (width, height))
    return min(max(left, 0.0), 1 - width), min(max(top, 0.0), 1 - height), width, height


def limited(share: float) -> float:
    """Return a panel's share of its window side, relative to that of other panels, clamped."""
    return round(min(max(share, SMALLEST_SHARE), LARGEST_SHARE), 3)


@dataclass(frozen=True)
class PanelArrangement:
    """An arrangement of panels: which are open, which were moved, and the sizes of window sides.

    Attributes:
        sizes: of ``left``, ``right`` and ``below`` in units of an unscaled screen; of ``beside``
            the share of the picture's width. Sides without an entry have their usual size.

    Raises:
        ValueError: a size is out of bounds.
    """

    panels: tuple[str, ...] = ()
    places: Mapping[str, PanelPlace] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "panels", tuple(map(current_name, self.panels)))
        places = {current_name(panel): place for panel, place in self.places.items()}
        object.__setattr__(self, "places", places)
        for side, size in self.sizes.items():
            if not 0 < size <= 10_000:
                raise ValueError(f"the size of side {side} must be in (0, 10000] (got {size:g})")


@dataclass(frozen=True)
class Workspace:
    """A workspace that the program declares: name, purpose, and original panel arrangement.

    The first of its panels is its main one, which a narrow window shows first.
    """

    name: str
    help: str
    arrangement: PanelArrangement


COMPARE = "Compare"
"""The workspace that shows A and B side by side."""
WORKSPACES: tuple[Workspace, ...] = (
    Workspace("Look", "the picture and its parameters", PanelArrangement(("parameters",))),
    Workspace(
        COMPARE,
        "A and B: speed, quality and differences",
        PanelArrangement(
            ("parameters", "race", "truth"),
            {
                "parameters": PanelPlace("left", 1.4),
                "truth": PanelPlace("left"),
                "race": PanelPlace("below"),
            },
        ),
    ),
    Workspace(
        "Tune",
        "parameters, error measures and their changes, and a grid of values to choose from",
        PanelArrangement(
            ("parameters", "parameter_grid", "truth"),
            {"truth": PanelPlace("beside", 0.8)},
            {"beside": 0.55},
        ),
    ),
    Workspace(
        "Explain",
        "explanation of a pixel: values and costs, and the time of every stage",
        PanelArrangement(
            ("inspector", "histogram", "costs", "stages"),
            {"histogram": PanelPlace("left"), "stages": PanelPlace("left")},
            {"below": 300},
        ),
    ),
    Workspace(
        "Calibrate",
        "properties of the cameras, and their calibration with a board",
        PanelArrangement(("calibrate", "camera", "measure"), {"measure": PanelPlace("left")}),
    ),
    Workspace(
        "Teach",
        "a lesson, the source code explained, and stages in slow motion",
        PanelArrangement((LESSON, "kernels", "slow_motion"), sizes={"beside": 0.5}),
    ),
)
FIRST = WORKSPACES[0].name
"""The workspace of a first start."""
STAYS = (TIMELINE,)
"""Panels that belong to the source: no workspace opens or closes them."""
LEAVES = (START,)
"""Panels that close when another workspace is shown, and that none of them keeps."""


@dataclass(frozen=True)
class Workspaces:
    """The workspace in use, and the panel arrangements that the user changed or created.

    Attributes:
        name: of the workspace shown.
        places, sizes: of its panels; see ``PanelArrangement``.
        kept: arrangements by the name of their workspace; of the one shown, if it is the user's
            own, the arrangement that was named.
    """

    name: str = FIRST
    places: Mapping[str, PanelPlace] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    kept: Mapping[str, PanelArrangement] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all workspaces: the declared ones, then the user's own."""
        declared = [workspace.name for workspace in WORKSPACES]
        return (*declared, *sorted({*self.kept, self.name}.difference(declared)))

    @property
    def main_panel(self) -> str:
        """Return the name of the workspace's main panel; empty for one that the user created."""
        return next(iter(declared(self.name).panels), "")

    @property
    def own(self) -> tuple[str, ...]:
        """Return the names of the workspaces that the user created."""
        return self.names[len(WORKSPACES) :]

    def arrangement(self, open_panels: Iterable[str]) -> PanelArrangement:
        """Return the present arrangement of panels, given those that are open."""
        panels = tuple(sorted({*open_panels}.difference(STAYS, LEAVES)))
        return PanelArrangement(panels, self.places, self.sizes)

    def arranged(self, name: str, arrangement: PanelArrangement, open_panels: set[str]) -> "Shown":
        """Apply a workspace's panel arrangement to a copy; return it and the panels to open."""
        shown = replace(self, name=name, places=arrangement.places, sizes=arrangement.sizes)
        return shown, {*arrangement.panels, *open_panels.intersection(STAYS)}

    def shown(self, name: str, open_panels: set[str]) -> "Shown":
        """Save the panel arrangement; return a copy with another workspace, and panels to open."""
        kept = {**self.kept, self.name: self.arrangement(open_panels)}
        return replace(self, kept=kept).arranged(
            name, kept.get(name) or declared(name), open_panels
        )

    def reset(self, open_panels: set[str]) -> "Shown":
        """Return a copy with the workspace's original panel arrangement, and the panels to open."""
        own = self.kept.get(self.name) if self.name in self.own else None
        kept = {
            name: arrangement
            for name, arrangement in self.kept.items()
            if arrangement is own or name != self.name
        }
        return replace(self, kept=kept).arranged(self.name, own or declared(self.name), open_panels)

    def named(self, name: str, open_panels: set[str]) -> Self:
        """Return a copy of the workspaces with the present arrangement saved as a new one.

        Raises:
            ValueError: the name is taken or too long, or there are too many.
        """
        if any(name.casefold() == workspace.name.casefold() for workspace in WORKSPACES):
            raise ValueError(f"{name} is a workspace already; choose another name")
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise ValueError(f"the name must have 1 to {LONGEST_NAME} letters (got {name!r})")
        if len(self.own) >= MOST_NAMED:
            raise ValueError(f"there are {MOST_NAMED} arrangements already; delete one first")
        kept = {
            n: arrangement
            for n, arrangement in self.kept.items()
            if n != self.name or n in self.own
        }
        return replace(self, name=name, kept={**kept, name: self.arrangement(open_panels)})

    def without(self, name: str, open_panels: set[str]) -> "Shown":
        """Return a copy without one of the user's workspaces, and the panels to open.

        If that workspace was shown, the first one is shown in its place.
        """
        shown = self.shown(FIRST, open_panels) if name == self.name else (self, open_panels)
        kept = {n: arrangement for n, arrangement in shown[0].kept.items() if n != name}
        return replace(shown[0], kept=kept), shown[1]

    def moved(self, panel: str, place: PanelPlace) -> Self:
        """Return a copy of the workspaces with a panel moved to another place."""
        return replace(self, places={**self.places, panel: place})

    def sized(self, side: str, size: float) -> Self:
        """Return a copy with another size of the panels at a window side, such as ``left``."""
        return replace(self, sizes={**self.sizes, side: size})


Shown = tuple[Workspaces, set[str]]
"""The workspaces with one of them shown, and its open panels."""


def declared(name: str) -> PanelArrangement:
    """Return the original arrangement of a workspace; an empty one if the name is unknown."""
    return next((w.arrangement for w in WORKSPACES if w.name == name), PanelArrangement())


def help_of(name: str) -> str:
    """Describe the purpose of a workspace in one line."""
    return next((w.help for w in WORKSPACES if w.name == name), "your own arrangement")
