"""From a frame of the source to textures: what is computed, where, and whether A and B agree."""
