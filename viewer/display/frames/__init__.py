"""Computing frames: from a source's frame to textures, and whether A and B agree."""
