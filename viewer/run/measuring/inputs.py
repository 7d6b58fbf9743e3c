"""Provide the input views of measurements: image files, or a built-in scene at any size."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.files.journal import stamp
from wheatstone.viewer.io.reading.checks import LARGEST
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec

Size = tuple[int, int]  # width, height
SCENE_SIZE = (640, 480)


class GreyPictures:
    """The grey-level input views of a measurement, by image size.

    Attributes:
        sizes: width and height of all that the command line asks for.
        words: the words of a command line that name the pictures, without a size.
        stamps: states of the files named, which show whether they changed since an earlier run.
    """

    def __init__(
        self,
        left: str | None,
        right: str | None,
        scene: str | None,
        seed: int | None,
        sizes: Sequence[Size],
    ) -> None:
        """Open the images that a command line names, or prepare the built-in scene.

        Raises:
            ValueError, OSError: invalid input.
        """
        self._grey: dict[Size, dict[str, NDArray[np.uint8]]] = {}
        self._scene, self._seed = scene or SCENES[0], seed or 0
        self.stamps = [stamp(Path(word)) for word in (left, right) if word]
        if left or right:
            if sizes or scene or seed is not None:
                raise ValueError(
                    "--size, --scene and --seed apply to the built-in scene; images keep their size"
                )
            self._open_files(left, right)
            return
        self.words: tuple[str, ...] = ("--scene", self._scene, "--seed", str(self._seed))
        self.sizes: tuple[Size, ...] = tuple(dict.fromkeys(sizes or [SCENE_SIZE]))
        if self._seed < 0:
            raise ValueError(f"seed must be 0 or more (got {self._seed})")
        if (largest := max(map(max, self.sizes))) > LARGEST:
            raise ValueError(f"a scene has {LARGEST} pixels a side at most (got {largest})")

    def _open_files(self, left: str | None, right: str | None) -> None:
        with closing(open_source(SourceSpec(left, right))) as source:
            self.sizes = ((source.width, source.height),)
            self._grey[self.sizes[0]] = grey_views(source.frame(0))
        self.words = tuple(word for word in (left, right) if word)

    def grey(self, width: int, height: int) -> dict[str, NDArray[np.uint8]]:
        """Return the grey views of a size by name, (H, W), rendering the scene at a new size.

        ``left`` is always among them.
        """
        size = (width, height)
        if size not in self._grey:
            from wheatstone.viewer.io.sources.scene import Scene

            frame = Scene(self._scene, self._seed, size).first()
            self._grey[size] = grey_views(frame)
        return self._grey[size]
