"""The steps of the tour, each declared once: its texts, its effects and its highlighted area."""

from dataclasses import dataclass

PICTURE, STATUS = "picture", "status"


@dataclass(frozen=True)
class TourStep:
    """A step of the tour.

    Attributes:
        title: names its subject.
        says: a few sentences for the user.
        does: its commands, in order: names of entries of the palette.
        points: the area to highlight: ``PICTURE``, ``STATUS``, or the name of a panel.
    """

    title: str
    says: str
    does: tuple[str, ...]
    points: str


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "What you see",
        "A colour says by how many pixels a point moves between the left and the right view: its "
        "disparity. The nearer a point is, the more it moves. The bar at the border says which "
        "colour is how much.",
        ("pipeline: sgm", "view: disparity"),
        PICTURE,
    ),
    TourStep(
        "Pipelines",
        "A pipeline is what is computed. This is canny, which finds edges; Ctrl and a digit choose "
        "another. The status line names pipeline and variant, and how long a frame takes.",
        ("pipeline: canny",),
        STATUS,
    ),
    TourStep(
        "Variants and parameters",
        "A variant computes the same pixels in another way, on the processor or on the GPU: a "
        "digit chooses one. Presets and parameters stand in this panel; drag one, and the picture "
        "follows.",
        ("pipeline: sgm", "view: disparity", "variant: cpu", "panel: Parameters"),
        "parameters",
    ),
    TourStep(
        "A and B",
        "Two results at once: A at the left of the seam is another preset than B at its right. "
        "Drag the seam. D shows the difference, B blinks, and E checks that every pixel is equal.",
        (
            *("pipeline: sgm", "view: disparity", "variant: cpu", "variant of B: cpu"),
            *("B keeps its own parameters, or takes A's", "preset: libsgm", "compare: wipe"),
        ),
        PICTURE,
    ),
    TourStep(
        "Why is a pixel so?",
        "Point at a pixel: the panel draws what every disparity would cost there. The lowest point "
        "of the sum wins; two that are equally low explain a wrong pixel.",
        ("pipeline: sgm", "view: disparity", "panel: Matching costs"),
        "costs",
    ),
    TourStep(
        "Views",
        "The same result can be seen in other ways: V goes through the views. Here are points in "
        "space: drag to turn them, and turn the wheel to come nearer.",
        ("pipeline: sgm", "view: cloud"),
        PICTURE,
    ),
)
