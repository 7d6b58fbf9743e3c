"""The cost curves of a pixel, and the path scrub."""
