"""The computation of frames for display, from a source's frame to textures."""
