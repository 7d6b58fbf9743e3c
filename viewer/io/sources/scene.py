"""Built-in scenes as sources: stereo frames with exact ground truth, computed in advance.

Run as ``python -m wheatstone.viewer.io.sources.scene FOLDER`` to write sample frames of all scenes.
"""

import threading
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.interruption import ComputationInterrupted, Interruption, check_interruption
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.scenes.layouts import (
    PALETTES,
    bare_wall,
    basket,
    brushes,
    corridor,
    garden,
    orbit,
)
from wheatstone.viewer.io.scenes.raycast import SceneMoment
from wheatstone.viewer.io.scenes.textures import Atlas, build_atlas, paint
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.frame_maker import calibration_notes
from wheatstone.viewer.io.sources.rig_views import RigViews, read_rig, render_rig, views_of
from wheatstone.viewer.io.sources.scene_cache import keep_frame, read_frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stereo import render_stereo

LAYOUTS = {
    "orbit": orbit.LAYOUT,
    "corridor": corridor.LAYOUT,
    "garden": garden.LAYOUT,
    "bare-wall": bare_wall.LAYOUT,
    "brushes": brushes.LAYOUT,
    "basket": basket.LAYOUT,
}
LENGTH, RATE = 96, 24.0
SIZE = 640, 480
"""Default width and height of a scene."""
CACHE_BYTES = 320 * 2**20
"""Memory for computed frames: enough for the complete loop at 640x480."""
BYTES_PER_PIXEL = 11
"""Bytes per pixel of a computed frame: two colour views, a float and a flag."""
RECTIFIED = 6
"""Additional bytes per pixel for the two rectified colour views of a rig."""


class Scene:
    """A built-in scene with a seed and an image size, which renders any frame of its loop."""

    def __init__(
        self, name: str, seed: int, size: tuple[int, int], rig: RigViews | None = None
    ) -> None:
        """Prepare a scene with a given seed and image size for rendering.

        Args:
            name: one of ``SCENES``.
            seed: 0 or more.
            size: (width, height) in pixels.
            rig: the cameras, of this size, without noise; None: a pair of pinhole
                cameras.
        """
        self._size, self._rig = size, rig
        self._name, self._seed, self._layout = name, seed, LAYOUTS[name]

    @cached_property
    def _painted(self) -> tuple[list[float], Atlas]:
        """Return the random numbers and textures of the scene; painting takes a second."""
        return painted(self._name, self._seed, 512 if max(self._size) <= 1280 else 1024)

    def stage(self, index: int) -> SceneMoment:
        """Return the camera, surfaces, light and textures of frame ``index`` of the loop."""
        chance, atlas = self._painted
        return SceneMoment(*self._layout.place(chance, index % LENGTH / LENGTH), atlas)

    def render(self, index: int) -> Frame:
        """Render frame ``index`` of the loop; the bytes are the same in every call."""
        stage, index = self.stage(index), index % LENGTH
        if self._rig:
            return render_rig(stage, self._rig, index)
        return self._taken(render_stereo(stage, *self._size, index))

    def _taken(self, frame: Frame) -> Frame:
        """Add the cameras' noise to both views of a frame, if the scene has noise."""
        noise = self._layout.noise
        if not noise or frame.right is None:
            return frame
        left, right = (
            with_noise(pixels, noise, np.random.default_rng((self._seed, frame.index, view)))
            for view, pixels in enumerate((frame.left, frame.right))
        )
        return Frame(left, right, frame.index, frame.truth, frame.occluded, frame.calibration)

    def first(self) -> Frame:
        """Return frame 0 from the disk cache; if it is missing, render it and write it there.

        The views of a rig are rendered without the cache.
        """
        if self._rig:
            return self.render(0)
        name = f"{self._name}-{self._seed}"
        if not (frame := read_frame(name, *self._size)):
            frame = self.render(0)
            keep_frame(name, frame)
        return frame


def painted(name: str, seed: int, side: int) -> tuple[list[float], Atlas]:
    """Return eight random numbers that place a scene's objects, and its painted textures.

    Args:
        name: one of ``SCENES``.
        seed: 0 or more.
        side: texels along a texture's edge.
    """
    random = np.random.default_rng(seed)
    chance = random.random(8).tolist()
    tiles = []
    for painter in LAYOUTS[name].painters(PALETTES[seed % len(PALETTES)]):
        check_interruption()
        tiles.append(paint(painter, side, random))
    return chance, build_atlas(tiles)


class SceneSource(Source):
    """A built-in scene as a ``Source``; a thread computes the frames after the last requested one.

    The thread starts when a second frame is requested: a single frame needs no others.

    As many frames are kept as ``CACHE_BYTES`` holds, but always the next one too: requesting it
    when it is ``ready`` plays without a stall. Frames farther ahead than that never become ready
    alone.
    """

    def __init__(self, spec: SourceSpec) -> None:
        """Prepare a scene of the specified size, else the calibrated rig's size, else ``SIZE``.

        A calibration is that of the rig that sees the scene; a unit of the scene is then a metre.

        Raises:
            OSError: a file of the calibration cannot be read.
            ValueError: the calibration is not that of a rig, or its size is impossible.
        """
        name, seed = spec.scene or SCENES[0], spec.seed or 0
        rig = read_rig(spec) if spec.calibrations else None
        size = spec.size or (rig.size if rig and rig.size else SIZE)
        self.width, self.height = size
        self.name, self.length, self.rate = f"{name} (seed {seed})", LENGTH, RATE
        self.notes = calibration_notes(spec, rig) if rig else ()
        self.spec = spec.changed(scene=name, seed=seed, size=size).resolved()
        views = views_of(rig, size) if rig else None
        self.rectification = views.rectification if views else None
        self._scene = Scene(name, seed, size, views)
        per_pixel = BYTES_PER_PIXEL + (RECTIFIED if rig else 0)
        most = CACHE_BYTES // (self.width * self.height * per_pixel)
        self._ahead = min(LENGTH, max(2, most)) - 1
        self._frames: dict[int, Frame] = {}
        self._playhead: int | None = None
        self._closed = self._rests = False
        self._computing: set[int] = set()
        self._changed, self._interruption = threading.Condition(), Interruption()
        self._worker = threading.Thread(target=self._work, name="scene", daemon=True)

    def frame(self, index: int) -> Frame:
        """Return frame ``index`` (modulo ``length``); compute it in this thread if necessary.

        Raises:
            MemoryError: there is too little memory for a frame of this size.
            ComputationInterrupted: the source was closed before the frame was computed.
        """
        index %= LENGTH
        with self._changed:
            self._look_ahead(index)
            self._playhead = index
            self._changed.notify_all()
            self._changed.wait_for(lambda: index not in self._computing)
            if frame := self._frames.get(index):
                return frame
            self._computing.add(index)
        return self._compute(index)

    def ready(self, index: int) -> bool:
        """Return whether frame ``index`` (modulo ``length``) is computed."""
        self._look_ahead(index % LENGTH)
        return index % LENGTH in self._frames

    def rest(self, rests: bool) -> None:
        """Pause computing frames in advance while nobody watches (True), or continue (False)."""
        with self._changed:
            self._rests = rests
            self._changed.notify_all()

    def close(self) -> None:
        """Stop rendering, even a frame that a thread waits for, and delete all frames."""
        self._interruption.request()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._worker.ident:
            self._worker.join(timeout=1.0)  # at most: a very large frame may take longer
        self._frames.clear()

    def _look_ahead(self, index: int) -> None:
        """Start the thread that renders in advance, once a second frame is requested."""
        with self._changed:
            begins = self._playhead not in (None, index) and not self._worker.ident
            if begins and not self._closed:
                self._worker.start()

    def _work(self) -> None:
        """Compute frames in advance until the source is closed or memory runs out."""
        while (index := self._claim()) is not None:
            try:
                self._compute(index)
            except ComputationInterrupted:
                return
            except MemoryError:  # whoever asks for this frame meets it there
                return

    def _claim(self) -> int | None:
        """Wait for a frame to compute in advance and reserve it; None once the source is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._missing() is not None)
            index = None if self._closed else self._missing()
            if index is not None:
                self._computing.add(index)
            return index

    def _missing(self) -> int | None:
        """Return the next frame to compute in advance; None if all are computed or while paused."""
        if self._rests:
            return None
        playhead = self._playhead or 0
        wanted = ((playhead + step) % LENGTH for step in range(self._ahead + 1))
        taken = self._frames.keys() | self._computing
        return next((index for index in wanted if index not in taken), None)

    def _compute(self, index: int) -> Frame:
        """Render and keep a reserved frame; drop frames that are too far ahead or behind."""
        try:
            with self._interruption.current():
                frame = self._scene.render(index) if index else self._scene.first()
            with self._changed:
                self._frames[index] = frame
            return frame
        finally:
            with self._changed:
                self._computing.discard(index)
                for other in list(self._frames):
                    if (other - (self._playhead or 0)) % LENGTH > self._ahead:
                        del self._frames[other]
                self._changed.notify_all()


def with_noise(
    pixels: NDArray[np.uint8], largest: int, random: np.random.Generator
) -> NDArray[np.uint8]:
    """Add noise to every colour of a picture, as the sum of two uniform random numbers.

    Args:
        pixels: (H, W, 3) RGB.
        largest: largest change of a colour in levels; small changes are the most frequent.
    """
    throws = random.integers(0, largest + 1, (2, *pixels.shape), np.uint8)
    noise = throws.sum(axis=0, dtype=np.int16) - np.int16(largest)
    noisy: NDArray[np.uint8] = np.clip(pixels + noise, 0, 255).astype(np.uint8)
    return noisy
