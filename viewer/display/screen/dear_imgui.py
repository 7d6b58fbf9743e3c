"""Dear ImGui and ImPlot as lazy modules, which are imported at their first use."""

from typing import TYPE_CHECKING

from wheatstone.viewer.lazy_import import LazyModule

if TYPE_CHECKING:
    from imgui_bundle import imgui, implot
else:
    imgui, implot = LazyModule("imgui_bundle.imgui"), LazyModule("imgui_bundle.implot")

__all__ = ["imgui", "implot"]
