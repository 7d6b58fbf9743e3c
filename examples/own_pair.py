"""Compute the depth of a rectified pair: ``python own_pair.py [LEFT RIGHT [CALIBRATION]]``.

Without files, a built-in scene is used. The results are written into the current folder.
"""

import sys

import wheatstone as ws


def main(*files: str) -> None:
    """Write the depth and the points of a pair."""
    if files:
        pair = ws.open(files[0], files[1], calibration=files[2] if len(files) > 2 else None)
    else:
        pair = ws.open("scene:garden", size=(320, 240))
    run = ws.Run("sgm", preset="indoor")
    result = run(pair)
    print(f"{run.name}: {result.milliseconds:.1f} ms, {result.density:.1f} % of the pixels")
    height, width = result.depth.shape
    depth = result.depth[height // 2, width // 2]
    print(f"depth in the middle of the image: {depth:.3f} {result.unit}")
    result.save("disparity.pfm")
    result.save("depth.npy", "depth")
    result.save("points.ply")
    print("written: disparity.pfm, depth.npy, points.ply")


if __name__ == "__main__":
    main(*sys.argv[1:])
