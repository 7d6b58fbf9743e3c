"""The headings of actions, and the menus that list them."""

from collections.abc import Mapping

from wheatstone.viewer.keys.action import SPACE

DIGITS = tuple("123456789")
COMPUTED, SHOWN, COMPARED, KEPT, CHANGED, PROGRAM, OPENED = (
    "What is computed",
    "What is shown",
    "A and B",
    "To keep and to open",
    "Changes",
    "Program",
    "Panels",
)
MENUS: Mapping[str, str] = {
    KEPT: "File",
    CHANGED: "Edit",
    SHOWN: "View",
    COMPUTED: "Compute",
    COMPARED: "Compare",
    OPENED: "Panels",
    PROGRAM: "Help",
}
"""The menu of every heading, in the order of the menu bar; an action may name another one."""
FRAMES, JUDGED, MEASURED, HISTOGRAM, IN_SPACE, MOVED, SLOW = (
    "View/Frames",
    "View/Errors and ground truth",
    "View/Measure",
    "View/Histogram",
    "View/In space",
    "View/Zoom and move",
    "View/Slow motion",
)
OF_GROUPS: Mapping[str, tuple[str, str]] = {"cloud": (IN_SPACE, SPACE)}
"""Menu and need of the actions without a place in the table, by the group of their choice."""
