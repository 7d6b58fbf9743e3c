"""Show colour views in a pipeline that computes on their grey levels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from wheatstone.gpu.image import Image
from wheatstone.gpu.pipeline import Pipeline, View


@dataclass(frozen=True)
class InColours:
    """The colour images that correspond to views in grey levels.

    Attributes:
        names: the name of a view's colour image, by the view's name.
        image: the declaration of one colour image.
        prefix: put before another name of a view, for that view in colours.
    """

    names: Mapping[str, str]
    image: Image
    prefix: str

    def aliases(self, pipeline: Pipeline) -> tuple[Image, ...]:
        """Declare colour images for a pipeline's other names of views."""
        return tuple(self._alias(image) for image in pipeline.images if image.stands_for)

    def _alias(self, image: Image) -> Image:
        assert image.stands_for
        meant = _Coloured(image.stands_for, tuple(self.names.items()))
        return replace(self.image, name=self.prefix + image.name, help=image.help, stands_for=meant)

    def views(self, pipeline: Pipeline) -> tuple[View, ...]:
        """Return a pipeline's views, changed so that they show colours."""
        others = {i.name: self.prefix + i.name for i in pipeline.images if i.stands_for}
        return tuple(_renamed(view, {**self.names, **others}) for view in pipeline.views)


def _renamed(view: View, names: Mapping[str, str]) -> View:
    panes, colors = (
        tuple(names.get(name, name) for name in group) for group in (view.panes, view.colors)
    )
    return replace(view, panes=panes, colors=colors)


@dataclass(frozen=True)
class _Coloured:
    """Function of parameters that returns the colour image meant by another name of a view.

    Unlike a local function, it can be pickled and sent to another process.
    """

    meant: Callable[[Any], str]
    names: tuple[tuple[str, str], ...]

    def __call__(self, params: Any) -> str:
        name = self.meant(params)
        return dict(self.names).get(name, name)

    @property
    def __code__(self) -> CodeType:
        """Return the code of the wrapped function, which shows the parameters that are read."""
        return self.meant.__code__
