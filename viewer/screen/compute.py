"""Dispatching compute shaders over the pixels of a picture.

Import after OpenGL is bound.
"""

from OpenGL import GL

_GROUP = (32, 8)  # pixels of a work group, as in the shaders


def dispatch(width: int, height: int, seen_by: int) -> None:
    """Run the compute shader in use for a width and height in pixels.

    Args:
        seen_by: bits of ``glMemoryBarrier`` for the later readers of the output.
    """
    across, down = _GROUP
    GL.glDispatchCompute(-(-width // across), -(-height // down), 1)
    GL.glMemoryBarrier(seen_by)
