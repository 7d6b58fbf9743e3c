"""Compare two presets with ground truth: ``python compare_presets.py [LEFT RIGHT TRUTH]``.

TRUTH is a PFM, NPY, TIFF or PNG file of disparities. Without files, a built-in scene is used,
whose ground truth is known. With ``--show`` a window shows both results side by side.
"""

import sys

import wheatstone as ws

PRESETS = ("balanced", "fast")
MEASURES = ("bad-1", "bad-2", "average error", "density")


def main(*words: str) -> None:
    """Print the quality measures of both presets."""
    files = [word for word in words if word != "--show"]
    if files:
        pair = ws.open(files[0], files[1], truth=files[2])
    else:
        pair = ws.open("scene:garden", size=(320, 240))
    runs = [ws.Run("sgm", preset=preset) for preset in PRESETS]
    print("preset".ljust(12), *(name.rjust(14) for name in MEASURES))
    for preset, run in zip(PRESETS, runs, strict=True):
        measures = run(pair).judge("middlebury")
        print(preset.ljust(12), *(f"{measures[name]:14.3f}" for name in MEASURES))
    if "--show" in words:
        ws.show(pair, runs[0], compare=runs[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
