"""Compute all pairs of a folder or a video: ``python batch_folder.py [FOLDER [OUTPUT]]``.

Without a folder, the first frames of a built-in scene are used. Frames are read in the background
while others are computed. For thousands of pairs, ``wheatstone batch`` also uses several processes
or machines, and continues after an interruption.
"""

import sys
from itertools import islice
from pathlib import Path

import wheatstone as ws


def main(folder: str = "", output: str = "disparities") -> None:
    """Write the disparity of every pair."""
    pairs = ws.open(folder) if folder else ws.open("scene:orbit", size=(160, 120))
    run = ws.Run("sgm", preset="fast")
    Path(output).mkdir(exist_ok=True)
    results = run.over(pairs)
    for result in results if folder else islice(results, 4):
        path = Path(output) / f"{result.frame.index:06d}.png"
        result.save(path)
        print(f"{path}: {result.milliseconds:.1f} ms, {result.density:.1f} % of the pixels")


if __name__ == "__main__":
    main(*sys.argv[1:])
