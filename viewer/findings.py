"""Findings: warnings and remarks about a source, and the remedies that the user can choose.

The command line prints a finding's sentence with its options; the window shows the sentence with
buttons, and never names an option.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

Effect = tuple[str, ...]
"""The name of an effect in ``viewer.window.effects``, and its words."""


@dataclass(frozen=True)
class Button:
    """A button of a finding (warning or remark), and the action that it requests."""

    label: str
    effect: Effect

    def filled_in(self, values: Mapping[str, Any]) -> "Button":
        """Copy the button with its ``{...}`` fields replaced by the values of a finding's text."""
        effect = (word.format_map(values) for word in self.effect)
        return Button(self.label.format_map(values), tuple(effect))


@dataclass(frozen=True)
class FindingKind:
    """The declaration of a kind of warning or remark, whose texts may have fields: ``{count}``.

    Attributes:
        says: a sentence for the window, without its full stop.
        options: the remedy on the command line; empty for a finding of the window alone.
        buttons: the remedies in the window.
        warns: whether the result may be wrong.
    """

    says: str
    options: str = ""
    buttons: tuple[Button, ...] = ()
    warns: bool = False


DISMISS: Effect = ("dismiss",)
"""The effect of a button that does nothing but dismiss its finding."""
LOAD_CALIBRATION = Button("Load calibration...", ("load", "calibration"))
CHOOSE_RIGHT_VIEW = Button("Choose right view...", ("load", "right view", "{path}"))
GIVE_RIGHT = "give a right image too, or --layout if it holds both views"
ENTER_BASELINE = Button("Enter camera baseline...", ("press", "set camera baseline ..."))
OFF_CENTRE = (
    "no image size in the file, and the principal point, column {column:.0f}, row {row:.0f}, is "
    "not near the centre of the images, {width}x{height}"
)

FINDINGS: Mapping[str, FindingKind] = {
    "single image": FindingKind(
        "{name} is one image, and {pipeline} needs two",
        GIVE_RIGHT,
        (CHOOSE_RIGHT_VIEW, Button("Open as side by side", ("open source", "{halved}"))),
        warns=True,
    ),
    "exchanged": FindingKind(
        "the views seem to be exchanged: {share:.0%} of the matches lie farther left in the left "
        "view",
        "Ctrl+D or --layout {opposite} exchanges them",
        (Button("Exchange", ("change source", "layout", "{opposite}")),),
        warns=True,
    ),
    "same views": FindingKind(
        "both views seem to be the same image: nothing in them is shifted", warns=True
    ),
    "blank views": FindingKind("{views} blank, so nothing can be matched", warns=True),
    "rows": FindingKind(
        "rows differ by {median:.1f} px (median): the pair is not rectified",
        "give --calibration FILE or --rectify auto",
        (Button("Rectify by features", ("rectify",)), LOAD_CALIBRATION),
        warns=True,
    ),
    "rows calibrated": FindingKind(
        "rows differ by {median:.1f} px (median): the calibration does not fit these views",
        "give the calibration of these cameras and this size with --calibration FILE, or "
        "--rectify auto",
        (Button("Rectify by features", ("rectify",)), LOAD_CALIBRATION),
        warns=True,
    ),
    "calibration size": FindingKind(
        "{name} is for {width}x{height}, the images are {new_width}x{new_height}: ignored",
        "--calibration-scale any scales it",
        (Button("Scale", ("change source", "calibration_scale", "any")), Button("Ignore", DISMISS)),
        warns=True,
    ),
    "calibration shape": FindingKind(
        "{name} is for {width}x{height}, the images are {new_width}x{new_height}, of another "
        "shape: ignored",
        "give the calibration of these images, or images of that size or a multiple or fraction "
        "of it",
        (LOAD_CALIBRATION, Button("Ignore", DISMISS)),
        warns=True,
    ),
    "calibration scaled": FindingKind("scaled from {width}x{height} to the images"),
    "calibration unit": FindingKind(
        "a baseline of {baseline}, with lengths in {unit}; in {other} it would be {otherwise}",
        "in that case give --calibration-unit {other}, or write {other} into a file with the "
        "same name plus .unit (--calibration-unit {unit} confirms {unit})",
        (
            Button("Lengths in {other}", ("change source", "calibration_unit", "{other}")),
            Button("Lengths in {unit}", ("change source", "calibration_unit", "{unit}")),
        ),
        warns=True,
    ),
    "calibration centre": FindingKind(
        f"{OFF_CENTRE}: depths may be wrong",
        "give the calibration of images of this size",
        (LOAD_CALIBRATION,),
        warns=True,
    ),
    "calibration left out": FindingKind(
        f"{OFF_CENTRE}: ignored", "--calibration {files} uses it", (LOAD_CALIBRATION,), warns=True
    ),
    "lens model": FindingKind(
        "{count} distortion coefficients and no model: plumb-bob is assumed, not fisheye",
        "if the lenses are fisheye, add model: fisheye to the file",
        (LOAD_CALIBRATION,),
    ),
    "range": FindingKind(
        "{share:.0%} of the matches lie {where} the disparity range {first}..{last}",
        "try {options}",
        (Button("Search {search}", ("search", "{count}", "{begin}")),),
        warns=True,
    ),
    "truth range": FindingKind(
        "{share:.0%} of the ground truth, {lowest:.6g} to {highest:.6g} px, is not among the "
        "disparities searched, {first} to {last}",
        "see --disparities and --min-disparity",
        warns=True,
    ),
    "empty": FindingKind(
        "{share:.1%} of the pixels have a disparity: the range may be wrong, or the views may not "
        "belong together",
        "see --disparities and --min-disparity",
        warns=True,
    ),
    "empty of a peer": FindingKind(
        "{share:.1%} of the pixels have a disparity: {variant} fails on these views, or they do "
        "not belong together",
        warns=True,
    ),
    "range stated": FindingKind(
        "{by} requires {asked} disparities; {most} are searched, as many as every variant can",
        "give --disparities {all} with a variant that can search them, such as cpu, or "
        "--disparities {most} --min-disparity {begin} for the nearest, or scale the images down by "
        "{times}",
        (Button("Search {most} from {begin}", ("search", "{most}", "{begin}")),),
    ),
    "large range": FindingKind(
        "{megapixels:.0f} MP x {count} disparities: hierarchical search examines about {share:.0%} "
        "of the costs, and is weaker in flat regions and at thin objects",
        "",
        (Button("Search hierarchically", ("change parameter", "search", "hierarchical")),),
    ),
    "order": FindingKind(
        "shown as two views {layout}, because the halves match; the usual order is assumed",
        "Ctrl+D or --layout {opposite} exchanges them, --layout pair shows one image",
        (
            Button("Exchange", ("change source", "layout", "{opposite}")),
            Button("One image", ("change source", "layout", "pair")),
        ),
    ),
    "layout": FindingKind(
        "shown as two views {layout} ({reason})",
        "Ctrl+D or --layout pair: as one image",
        (Button("One image", ("change source", "layout", "pair")),),
    ),
    "few levels": FindingKind(
        "16-bit scaled to 8 bits (value // 257), which leaves {levels} levels",
        "{bits}-bit values need to be stored times {factor}, or shown with --tone percentile",
        (Button("Stretch", ("change source", "tone", "percentile")),),
    ),
    "cameras": FindingKind(
        "cameras {left} and {right} of {count} are used", "--cameras LEFT,RIGHT selects others"
    ),
    "unpaired": FindingKind("{count}; without a partner and skipped: {files}"),
    "truth scale": FindingKind(
        "{name} does not state its scale and is ignored",
        "give --truth-scale 8 (Middlebury 2001), 4 (2003, quarter size) or 2 (2003, half size)",
        tuple(Button(f"Scale {scale}", ("change source", "truth_scale", scale)) for scale in "842"),
    ),
    "truth scale 2006": FindingKind(
        "{name} has no size of Middlebury 2005 or 2006, does not state its scale and is ignored",
        "give --truth-scale 1 (full size), 2 (half size) or 3 (third size)",
        tuple(Button(f"Scale {scale}", ("change source", "truth_scale", scale)) for scale in "123"),
    ),
    "possible truth": FindingKind(
        "{name} may be ground truth",
        "--truth {path} uses it",
        (Button("Use", ("use truth", "{path}")), Button("Ignore", DISMISS)),
    ),
    "features": FindingKind(
        "depth is relative, its unit unknown",
        "disparities expected: --min-disparity {first} --disparities {count}",
        (LOAD_CALIBRATION, ENTER_BASELINE),
    ),
    "assumed focal": FindingKind(
        "depths use a baseline of {baseline:g} m and an assumed focal length of {focal:g} px",
        "",
        (LOAD_CALIBRATION,),
    ),
    "relative": FindingKind("depth is relative: {why}", "", (LOAD_CALIBRATION, ENTER_BASELINE)),
    "no truth": FindingKind(
        "no ground truth: errors cannot be measured", "", (Button("Load...", ("load", "truth")),)
    ),
}
"""All findings by name, the most important first."""


class Finding(str):
    """A warning or remark about a source; as a string, the line printed on the command line.

    Attributes:
        name: of its declaration in ``FINDINGS``.
        values: for the fields of its declaration.
        says: the sentence for the window.
        buttons, warns: as declared.
    """

    name: str
    values: dict[str, Any]
    says: str
    warns: bool
    buttons: tuple[Button, ...]

    def __new__(cls, name: str, subject: str = "", /, **values: Any) -> Self:
        """Make a warning or remark of a kind that ``FINDINGS`` declares.

        Args:
            subject: what it is about, such as a file; empty: the source.
            values: for the fields of its declaration.
        """
        kind, prefix = FINDINGS[name], f"{subject}: " if subject else ""
        says, options = (text.format_map(values) for text in (kind.says, kind.options))
        text = f"{prefix}{says}; {options}" if options else f"{prefix}{says}"
        finding = super().__new__(cls, text)
        finding.name, finding.values, finding.says = name, values, f"{prefix}{says}"
        finding.warns = kind.warns
        finding.buttons = tuple(button.filled_in(values) for button in kind.buttons)
        return finding

    def __reduce__(self) -> tuple[Callable[[str], str], tuple[str]]:
        """Pickle the warning or remark as plain text, which is all that other processes receive."""
        return str, (str(self),)


class Refused(ValueError):
    """An error with a finding, a message that offers remedies as buttons.

    Attributes:
        finding: explains it.
    """

    finding: Finding


def about(subject: str, note: str) -> str:
    """Prefix a note with its subject, such as a file; a ``Finding`` remains a ``Finding``."""
    if isinstance(note, Finding):
        return Finding(note.name, subject, **note.values)
    return f"{subject}: {note}"


def in_window(note: str) -> str:
    """Return the text of a note for the window: for a ``Finding``, without command-line options."""
    return note.says if isinstance(note, Finding) else note
