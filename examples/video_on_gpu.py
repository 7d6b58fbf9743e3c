"""Compute the disparities of a video on the GPU with PyTorch: ``python video_on_gpu.py [VIDEO]``.

The views and the disparities stay in the GPU's memory. Without a video, a built-in scene is used.
It needs an NVIDIA GPU, PyTorch with CUDA, and ``pip install 'wheatstone[cuda]'``.
"""

import sys

import wheatstone as ws


def main(video: str = "scene:orbit") -> None:
    """Print the mean disparity of every frame."""
    try:
        import torch
    except ImportError:
        print("this example needs PyTorch: pip install torch")
        return
    if not torch.cuda.is_available():
        print("this example needs an NVIDIA GPU that PyTorch can use")
        return
    source = ws.open(video)
    run = ws.Run("sgm", variant="fast", preset="fast")
    prepared = run.prepared((source.height, source.width))
    for index in range(min(source.length, 100)):
        frame = source.frame(index)
        left, right = (torch.from_numpy(view).cuda() for view in (frame.left, frame.right))
        disparity = torch.from_dlpack(prepared(left, right))  # valid until the next call
        print(f"frame {index}: {disparity.nanmean().item():.2f} pixels")


if __name__ == "__main__":
    main(*sys.argv[1:])
