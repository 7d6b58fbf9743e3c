"""Opening of sources: image files, folders, videos, cameras, streams and built-in scenes."""

from pathlib import Path

from wheatstone.viewer.footage.address import NETWORK, is_live
from wheatstone.viewer.footage.capture import AS_IT_COMES
from wheatstone.viewer.footage.media import is_video
from wheatstone.viewer.reading.inputs import add_inputs
from wheatstone.viewer.scenes import SCENES
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.said import NOTHING_SAID, Said


def open_source(
    left: str | None,
    right: str | None = None,
    *,
    size: tuple[int, int] | None = None,
    scene: str = SCENES[0],
    seed: int = 0,
    said: Said = NOTHING_SAID,
) -> Source:
    """Open image files, folders, videos, cameras or streams; without ``left``, a built-in scene.

    Args:
        left: an image, a folder, a video, or the address of a camera or a stream; None for the
            built-in scene.
        right: that of the right view; None for a single image, or if ``left`` holds both views.
        size: (width, height) of the built-in scene in pixels; None: 640x480, or the calibrated
            size of the rig given; files keep their own.
        scene: one of ``SCENES``.
        seed: changes layout, colours and textures of the scene; 0 or more.
        said: options of the images, or of the rig that sees the scene.

    Raises:
        Unavailable: a video is named, and PyAV is not installed.
        FileNotFoundError, OSError: a path is missing or cannot be read.
        ValueError: the input cannot be used. Every message is one line for the user.
    """
    if left is None:
        if right is not None:
            raise ValueError(f"a right image needs a left one (got only {right}); give LEFT RIGHT")
        return _open_scene(scene, seed, size, said)
    source = _open_files(left, right, said)
    add_inputs(source.files)
    return source


def _open_files(left: str, right: str | None, said: Said) -> Source:
    """Open image files, folders, videos, cameras or streams.

    Raises:
        Unavailable, OSError, ValueError: as ``open_source``.
    """
    files = said.calibration.files
    if said.rectify == "auto" and files:
        why = "a pair is rectified by its calibration or by its features, not by both"
        raise ValueError(f"{why} (got {files[0]} and rectify {said.rectify})")
    if said.truth is not None and Path(left).is_dir():
        raise ValueError(f"ground truth in a file goes with two images ({said.truth})")
    live = [address for address in (left, right) if address is not None and is_live(address)]
    if live and (right is None or len(live) == 2):
        from wheatstone.viewer.sources.live import LiveSource

        return LiveSource(left, right, said)
    if live:
        raise ValueError(f"{live[0]} is live: the other view must be, too (got {left} and {right})")
    if said.capture != AS_IT_COMES:
        asked = ", ".join(said.capture.recipe.values())
        raise ValueError(f"only a camera can be asked for {asked} (got {left})")
    require_same_kind(left, right)
    if Path(left).is_dir():
        from wheatstone.viewer.sources.folder import FolderSource

        return FolderSource(left, right, said)
    if is_video(left) or (right is not None and is_video(right)):
        return _open_video(left, right, said)
    from wheatstone.viewer.sources.still import StillSource

    return StillSource(left, right, said)


def _open_video(left: str, right: str | None, said: Said) -> Source:
    """Open one or two videos; raise ``ValueError`` if one of two files is a picture."""
    if right is not None and is_video(left) != is_video(right):
        video, picture = (left, right) if is_video(left) else (right, left)
        raise ValueError(f"{video} is a video but {picture} is none; give two videos or two images")
    from wheatstone.viewer.sources.video import VideoSource

    return VideoSource(left, right, said)


def _open_scene(scene: str, seed: int, size: tuple[int, int] | None, said: Said) -> Source:
    """Open a built-in scene; raise ``ValueError`` for options that apply only to images."""
    if said.rectify is not None:
        raise ValueError(f"the built-in scene is rectified, or taken by a rig (got {said.rectify})")
    if said.layout is not None:
        raise ValueError(f"the built-in scene is a pair (got layout {said.layout})")
    if said.truth is not None:
        raise ValueError(f"ground truth in a file goes with two images ({said.truth})")
    if said.capture != AS_IT_COMES:
        raise ValueError("size, rate and format are asked of a camera: give its address as LEFT")
    from wheatstone.viewer.sources.scene import SceneSource

    return SceneSource(scene, seed, size, said.calibration)


def _why_absent(path: str) -> str:
    """Explain why a path does not exist, with advice for the user."""
    if "://" in path:
        known = ", ".join(NETWORK)
        return f"no address that is read: files have a path, streams begin with {known}"
    return "no such file or folder; check the path"


def require_same_kind(left: str, right: str | None) -> None:
    """Raise ``OSError`` for a missing path, ``ValueError`` if one is a folder and one a file."""
    for path in (left, right):
        if path is not None and not Path(path).exists():
            raise FileNotFoundError(f"{path}: {_why_absent(path)}")
    if right is not None and Path(left).is_dir() != Path(right).is_dir():
        folder, file = (left, right) if Path(left).is_dir() else (right, left)
        raise ValueError(
            f"{folder} is a folder but {file} is a file; give two images or two folders"
        )
