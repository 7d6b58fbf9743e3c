"""Opening of sources: images, folders, videos, robot recordings, cameras, streams, scenes."""

from pathlib import Path

from wheatstone.viewer.io.footage.address import NETWORK, is_live
from wheatstone.viewer.io.footage.bags.opening import is_bag
from wheatstone.viewer.io.footage.capture import AS_IT_COMES
from wheatstone.viewer.io.footage.media import is_video
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.source_spec import SourceSpec


def open_source(spec: SourceSpec) -> Source:
    """Open the source that a source specification describes; without ``left``, a built-in scene.

    Raises:
        Unavailable: a video is named, and PyAV is not installed.
        FileNotFoundError, OSError: a path is missing or cannot be read.
        ValueError: the input cannot be used. Every message is one line for the user.
    """
    if spec.left is not None:
        source = _open_files(spec, spec.left, spec.right)
        add_inputs(source.files)
        return source
    _check_scene(spec)
    from wheatstone.viewer.io.sources.scene import SceneSource

    return SceneSource(spec)


def _open_files(spec: SourceSpec, left: str, right: str | None) -> Source:
    """Open files, folders or live sources, after a check that the given options suit them."""
    if spec.rectify == "auto" and spec.calibration:
        why = "a pair is rectified by its calibration or by its features, not by both"
        raise ValueError(f"{why} (got {spec.calibration} and rectify {spec.rectify})")
    recorded = is_bag(left)
    if spec.topics is not None and not recorded:
        raise ValueError(f"topics are those of a robot recording (got {spec.topics} of {left})")
    if spec.values_in:
        return _open_values(spec)
    live = [address for address in (left, right) if address is not None and is_live(address)]
    if live and (right is None or len(live) == 2):
        from wheatstone.viewer.io.sources.live import LiveSource

        return LiveSource(spec)
    if live:
        raise ValueError(
            f"{live[0]} is live: the other view must also be live (got {left} and {right})"
        )
    if spec.capture != AS_IT_COMES:
        asked = ", ".join(spec.capture.words.values())
        raise ValueError(f"only a camera can be asked for {asked} (got {left})")
    require_same_kind(left, right)
    if recorded or (right is not None and is_bag(right)):
        return _open_bag(spec, right)
    if Path(left).is_dir():
        from wheatstone.viewer.io.sources.folder import FolderSource

        return FolderSource(spec)
    if right is None or is_video(left) == is_video(right):
        if not is_video(left):
            from wheatstone.viewer.io.sources.still import StillSource

            return StillSource(spec)
        from wheatstone.viewer.io.sources.video import VideoSource

        return VideoSource(spec)
    video, picture = (left, right) if is_video(left) else (right, left)
    raise ValueError(f"{video} is a video but {picture} is none; give two videos or two images")


def _open_values(spec: SourceSpec) -> Source:
    """Open a file of values; raise ``ValueError`` if a second file is given."""
    if spec.right is not None:
        raise ValueError(f"a file of values is opened alone (got {spec.left} and {spec.right})")
    from wheatstone.viewer.io.sources.value_source import ValueSource

    return ValueSource(spec)


def _open_bag(spec: SourceSpec, right: str | None) -> Source:
    """Open a robot recording; raise ``ValueError`` if a second file is given."""
    if right is not None:
        why = "a robot recording holds both views; give it alone, and topics LEFT,RIGHT"
        raise ValueError(f"{why} (got {spec.left} and {right})")
    from wheatstone.viewer.io.sources.bag import BagSource

    return BagSource(spec)


def _check_scene(spec: SourceSpec) -> None:
    """Raise ``ValueError`` for options that a built-in scene cannot have."""
    if spec.right is not None:
        raise ValueError(f"a right image needs a left one (got only {spec.right}); give LEFT RIGHT")
    if spec.rectify is not None:
        raise ValueError(f"the built-in scene is rectified, or taken by a rig (got {spec.rectify})")
    if spec.layout is not None:
        raise ValueError(f"the built-in scene is a pair (got layout {spec.layout})")
    if spec.topics is not None:
        raise ValueError(f"topics are those of a robot recording (got {spec.topics})")
    if spec.truth is not None:
        raise ValueError(f"ground truth in a file needs two images ({spec.truth})")
    if spec.capture != AS_IT_COMES:
        raise ValueError("size, rate and format are asked of a camera: give its address as LEFT")


def require_same_kind(left: str, right: str | None) -> None:
    """Raise ``OSError`` for a missing path, ``ValueError`` for a folder and a file together."""
    for path in (left, right):
        if path is not None and not Path(path).exists():
            raise FileNotFoundError(f"{path}: {_why_absent(path)}")
    if right is not None and Path(left).is_dir() != Path(right).is_dir():
        folder, file = (left, right) if Path(left).is_dir() else (right, left)
        raise ValueError(
            f"{folder} is a folder but {file} is a file; give two images or two folders"
        )


def _why_absent(path: str) -> str:
    """Explain why a path does not exist, with advice for the user."""
    if "://" in path:
        known = ", ".join(NETWORK)
        return f"no address that is read: files have a path, streams begin with {known}"
    return "no such file or folder; check the path"
