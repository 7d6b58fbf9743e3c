"""Declarations of the public data sets: their layout, measures, submission and publisher.

Recognition, ranges, conventions, weights, help and documentation follow from ``DATA_SETS``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wheatstone.gpu.analysis.conventions import (
    ETH3D,
    KITTI,
    MIDDLEBURY,
    OWN_MEASURES,
    Convention,
    Region,
)


@dataclass(frozen=True)
class TruthFolder:
    """The location and encoding of ground truth in a folder next to that of the left views.

    Attributes:
        name: replaces the first folder of the left views in the paths of ground truth, and in the
            names of its files.
        file: the name of one file for all images of a folder, next to that folder; empty: each
            image has a file of its own.
        suffix: of ground truth; empty: that of the images.
        scale: stored values per pixel of ground truth in 16 bits; None: the usual ones.
        zero: the stored value of disparity 0; 0 where there is no ground truth.
        packed: whether disparities are stored in the three channels of a colour PNG.
        seen: like ``name``, of a truth known only where both views see the pixel.
        mask: like ``file``, of a picture that is 255 where both views see the pixel.
        hidden: like ``name``, of pictures that are not 0 where the right view does not see a pixel.
        objects: like ``name``, of pictures that are 0 in the background.
        positive: whether disparities that are not above 0 are unknown.
    """

    name: str = ""
    file: str = ""
    suffix: str = ""
    scale: float | None = None
    zero: int = 0
    packed: bool = False
    seen: str = ""
    mask: str = ""
    hidden: tuple[str, ...] = ()
    objects: str = ""
    positive: bool = False


@dataclass(frozen=True)
class FolderLayout:
    """The layout of a data set that has separate folders for left and right views.

    Attributes:
        left, right: the folders below that of the data set; ``*`` stands for any one folder,
            ``**`` for any number of them, with equal names on both sides.
        truth: where ground truth lies; None: there is none.
        marks: files in the data set's folder, one of which must exist; empty: none need to.
    """

    left: str
    right: str
    truth: TruthFolder | None = None
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairLayout:
    """The layout of a data set that has a folder for each pair: the names of its files.

    Attributes:
        left, right: names of the views, without their suffix.
        truth, truth_right: ground truth of each view.
        mask: a picture that is 255 where both views see the left view's pixel; empty: none.
        within: names of the folders that hold the pairs; empty: any.
        parts: names of folders that may hold the pairs.
    """

    left: str
    right: str
    truth: str
    truth_right: str
    mask: str = ""
    within: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    """The format of the archive of results that a benchmark's server accepts.

    Attributes:
        name: of the set on the command line.
        folders: of the left views, below the folder of the data set, and the number of pairs that
            each must have; ``{size}`` stands for a resolution.
        left: pattern of the left views in a folder.
        results: the path of a result in the archive; ``{folder}`` and ``{pair}`` name those of the
            views, ``{method}`` the method.
        times: the path of a text file with the seconds of a pair; empty: none.
        time: the content of that file.
        sparse: what follows the method's name if some pixels have no result.
        sizes: the resolutions, of which one archive holds one; empty: there is only one.
        disparities: how many to search, unless a calibration says it.
    """

    name: str
    folders: Mapping[str, int]
    left: str
    results: str
    times: str = ""
    time: str = "{seconds}"
    sparse: str = ""
    sizes: str = ""
    disparities: int | None = None

    @property
    def suffix(self) -> str:
        """Return the file suffix of the results in the archive: ``pfm`` or ``png``."""
        return self.results.rpartition(".")[2]


@dataclass(frozen=True)
class DataSet:
    """A public data set of stereo pairs.

    Attributes:
        url: where it is published.
        licence: what its publisher allows.
        convention: how its publisher judges a pair.
        region: the pixels it judges, if not those of the convention.
        measures: those that its publisher ranks by, or that papers report; empty: unknown.
        weights: the weight of a pair in the mean, by name; 1 if absent. Empty: all are equal.
        pooled: whether a mean counts every judged pixel the same, instead of every pair.
        disparities: how many to search; None: the data set does not say.
        submission: the archive of results; None: there is no server.
    """

    name: str
    layouts: tuple[FolderLayout | PairLayout, ...]
    url: str = ""
    licence: str = ""
    convention: Convention = MIDDLEBURY
    region: Region | None = None
    measures: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    pooled: bool = False
    disparities: int | None = None
    submission: Submission | None = None

    @property
    def extra_measures(self) -> tuple[str, ...]:
        """List the error measures of this data set that not every data set has."""
        return tuple(name for name in self.measures if name in OWN_MEASURES)

    def weight(self, pair: str, measure: str, judged: float, foreground: float | None) -> float:
        """Return the weight of a pair in the published mean of a measure.

        Args:
            judged: number of pixels judged.
            foreground: the share of the foreground in them, in per cent.
        """
        if not self.pooled:
            return self.weights.get(pair.rpartition("/")[2], 1.0)
        ahead = (foreground or 0.0) / 100
        return judged * {"D1-fg": ahead, "D1-bg": 1 - ahead}.get(measure, 1.0)


BAD = ("bad-0.5", "bad-1", "bad-2", "bad-4", "average error", "RMS", "A50", "A90", "A95", "A99")
"""The measures of Middlebury version 3, and of ETH3D."""
SYNTHETIC = ("average error", "bad-1", "bad-3", "D1")
ODOMETRY = "times.txt", "calib.txt"
KITTI_DISPARITIES = 128  # the data set does not say how many; few pixels exceed these
KITTI_LICENCE = "CC BY-NC-SA 3.0"
KITTI_2012_TRUTH = TruthFolder("disp_occ", seen="disp_noc")
KITTI_2015_TRUTH = TruthFolder("disp_occ_0", seen="disp_noc_0", objects="obj_map")
SINTEL_TRUTH = TruthFolder("disparities", packed=True, hidden=("occlusions", "outofframe"))
SPRING_TRUTH = TruthFolder("disp1_left", suffix=".dsp5")
BOOSTER_TRUTH = TruthFolder(file="disp_00.npy", mask="mask_00.png", positive=True)
HALF = ("PianoL", "Playroom", "Playtable", "Shelves", "Vintage")
"""The pairs of Middlebury version 3 that count half, because they are the most difficult."""
SIZES = "QHF"


def _driving() -> Iterator[FolderLayout]:
    for size, scale in (("half", 256), ("full", 128)):
        truth = TruthFolder(f"disparity-map-{size}-size", suffix=".png", scale=scale)
        for below in ("", "/*"):
            left, right = (f"{side}-image-{size}-size{below}" for side in ("left", "right"))
            yield FolderLayout(left, right, truth)


MIDDLEBURY_V3 = DataSet(
    "Middlebury v3",
    (
        PairLayout(
            *("im0", "im1", "disp0GT.pfm", "disp1GT.pfm", "mask0nocc.png"),
            within=tuple(f"training{size}" for size in SIZES),
        ),
    ),
    "https://vision.middlebury.edu/stereo/submit3/",
    "cite Scharstein et al., GCPR 2014",
    measures=BAD,
    weights=dict.fromkeys(HALF, 0.5),
    submission=Submission(
        "middlebury3",
        {"training{size}": 15, "test{size}": 15},
        "*/im0.png",
        "{folder}/{pair}/disp0{method}{sparse}.pfm",
        times="{folder}/{pair}/time{method}.txt",
        sparse="_s",
        sizes=SIZES,
    ),
)
ETH3D_TWO_VIEW = DataSet(
    "ETH3D two-view",
    (
        PairLayout(
            *("im0", "im1", "disp0GT.pfm", "disp1GT.pfm", "mask0nocc.png"),
            parts=("two_view_training",),
        ),
    ),
    "https://www.eth3d.net/low_res_two_view",
    "CC BY-NC-SA 4.0",
    ETH3D,
    measures=BAD,
    submission=Submission(
        "eth3d",
        {"two_view_training": 27, "two_view_test": 20},
        "*/im0.png",
        "low_res_two_view/{pair}.pfm",
        times="low_res_two_view/{pair}.txt",
        time="runtime {seconds}",
    ),
)
KITTI_2012 = DataSet(
    "KITTI 2012",
    (
        FolderLayout("colored_0", "colored_1", KITTI_2012_TRUTH),
        FolderLayout("image_0", "image_1", KITTI_2012_TRUTH),
    ),
    "https://www.cvlibs.net/datasets/kitti/eval_stereo_flow.php?benchmark=stereo",
    KITTI_LICENCE,
    KITTI,
    measures=("bad-2", "bad-3", "bad-4", "average error"),
    submission=Submission(
        "kitti2012",
        {"testing/image_0": 195},
        "??????_10.png",
        "{pair}.png",
        disparities=KITTI_DISPARITIES,
    ),
)
KITTI_2015 = DataSet(
    "KITTI 2015",
    (FolderLayout("image_2", "image_3", KITTI_2015_TRUTH),),
    "https://www.cvlibs.net/datasets/kitti/eval_scene_flow.php?benchmark=stereo",
    KITTI_LICENCE,
    KITTI,
    measures=("D1-bg", "D1-fg", "D1", "foreground", "average error"),
    pooled=True,
    submission=Submission(
        "kitti2015",
        {"testing/image_2": 200},
        "??????_10.png",
        "disp_0/{pair}.png",
        disparities=KITTI_DISPARITIES,
    ),
)
MIDDLEBURY_2014 = DataSet(
    "Middlebury 2014 and 2021",
    (PairLayout("im0", "im1", "disp0.pfm", "disp1.pfm", "mask0nocc.png", parts=("data",)),),
    "https://vision.middlebury.edu/stereo/data/",
    "cite Scharstein et al., GCPR 2014",
    measures=BAD,
)
SINTEL = DataSet(
    "Sintel",
    tuple(
        FolderLayout(f"{kind}_left/*", f"{kind}_right/*", SINTEL_TRUTH)
        for kind in ("clean", "final")
    ),
    "http://sintel.is.tue.mpg.de/stereo",
    "CC BY 3.0, Blender Foundation",
    region="known",
    measures=SYNTHETIC,
)
DATA_SETS = (
    DataSet(
        "KITTI odometry",
        (
            FolderLayout("image_2", "image_3", marks=ODOMETRY),
            FolderLayout("image_0", "image_1", marks=ODOMETRY),
        ),
        "https://www.cvlibs.net/datasets/kitti/eval_odometry.php",
        KITTI_LICENCE,
    ),
    KITTI_2015,
    KITTI_2012,
    DataSet(
        "KITTI raw",
        (
            FolderLayout("image_02/data", "image_03/data"),
            FolderLayout("image_00/data", "image_01/data"),
        ),
        "https://www.cvlibs.net/datasets/kitti/raw_data.php",
        KITTI_LICENCE,
    ),
    DataSet(
        "EuRoC or TUM-VI",
        (FolderLayout("mav0/cam0/data", "mav0/cam1/data"), FolderLayout("cam0/data", "cam1/data")),
    ),
    DataSet("two cameras", (FolderLayout("cam0", "cam1"),)),
    SINTEL,
    DataSet(
        "Scene Flow",
        tuple(
            FolderLayout(
                f"{kind}/**/left", f"{kind}/**/right", TruthFolder("disparity", suffix=".pfm")
            )
            for kind in ("frames_cleanpass", "frames_finalpass")
        ),
        "https://lmb.informatik.uni-freiburg.de/resources/datasets/SceneFlowDatasets.en.html",
        region="known",
        measures=SYNTHETIC,
        disparities=192,
    ),
    DataSet(
        "DrivingStereo",
        tuple(_driving()),
        "https://drivingstereo-dataset.github.io/",
        region="known",
        measures=("D1", "average error", "bad-3"),
    ),
    DataSet(
        "Cityscapes",
        tuple(
            FolderLayout(
                f"leftImg8bit/{below}", f"rightImg8bit/{below}", TruthFolder("disparity", zero=1)
            )
            for below in ("*/*", "*")
        ),
        "https://www.cityscapes-dataset.com/",
    ),
    DataSet(
        "Spring",
        (
            FolderLayout("*/frame_left", "*/frame_right", SPRING_TRUTH),
            FolderLayout("frame_left", "frame_right", SPRING_TRUTH),
        ),
        "https://spring-benchmark.org/",
        region="known",
        measures=("bad-1", "D1", "average error"),
    ),
    DataSet(
        "Booster",
        (
            FolderLayout("*/camera_00", "*/camera_02", BOOSTER_TRUTH),
            FolderLayout("camera_00", "camera_02", BOOSTER_TRUTH),
        ),
        "https://cvlab-unibo.github.io/booster-web/",
        "CC BY-NC-SA 4.0",
        region="known",
        measures=("bad-2", "bad-4", "average error", "RMS"),
    ),
    MIDDLEBURY_V3,
    MIDDLEBURY_2014,
    ETH3D_TWO_VIEW,
)
"""Every data set; of the layouts that fit a folder, the first counts."""
FOLDER_LAYOUTS = tuple(
    (data_set, layout)
    for data_set in DATA_SETS
    for layout in data_set.layouts
    if isinstance(layout, FolderLayout)
)
PAIR_LAYOUTS = tuple(
    (data_set, layout)
    for data_set in DATA_SETS
    for layout in data_set.layouts
    if isinstance(layout, PairLayout)
)
PARTS = tuple(name for _, layout in PAIR_LAYOUTS for name in (*layout.within, *layout.parts))
"""The names of folders that hold the folders of pairs."""
SUBMISSIONS = {each.submission.name: each.submission for each in DATA_SETS if each.submission}


def data_set_named(name: str) -> DataSet | None:
    """Return the declaration of a public data set by name; None if the name is unknown."""
    return next((each for each in DATA_SETS if each.name == name), None)
