"""Show views in their colours in a pipeline that reads grey levels made from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from wheatstone.gpu.image import Image
from wheatstone.gpu.pipeline import Pipeline, View


@dataclass(frozen=True)
class InColours:
    """The coloured images that stand beside views in grey levels.

    Attributes:
        names: the coloured image of a view, by the view's name.
        image: the declaration of one of them.
        prefix: before another name of a view, for that name in colours.
    """

    names: Mapping[str, str]
    image: Image
    prefix: str

    def aliases(self, pipeline: Pipeline) -> tuple[Image, ...]:
        """Declare a pipeline's other names of views once more, in colours."""
        return tuple(self._alias(image) for image in pipeline.images if image.stands_for)

    def _alias(self, image: Image) -> Image:
        assert image.stands_for
        meant = _Coloured(image.stands_for, tuple(self.names.items()))
        return replace(self.image, name=self.prefix + image.name, help=image.help, stands_for=meant)

    def views(self, pipeline: Pipeline) -> tuple[View, ...]:
        """Declare a pipeline's views so that they show colours."""
        others = {i.name: self.prefix + i.name for i in pipeline.images if i.stands_for}
        return tuple(_renamed(view, {**self.names, **others}) for view in pipeline.views)


def _renamed(view: View, names: Mapping[str, str]) -> View:
    panes, colors = (
        tuple(names.get(name, name) for name in group) for group in (view.panes, view.colors)
    )
    return replace(view, panes=panes, colors=colors)


@dataclass(frozen=True)
class _Coloured:
    """Tell which view, in its colours, another name of a view means.

    A function of parameters that another process can be sent, unlike one made here.
    """

    meant: Callable[[Any], str]
    names: tuple[tuple[str, str], ...]

    def __call__(self, params: Any) -> str:
        name = self.meant(params)
        return dict(self.names).get(name, name)

    @property
    def __code__(self) -> CodeType:
        """Look up what tells which parameters are read."""
        return self.meant.__code__
