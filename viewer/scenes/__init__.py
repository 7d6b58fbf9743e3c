"""The built-in scenes: a small ray tracer, and what stands where in each scene."""

SCENES = ("orbit", "corridor", "garden", "bare-wall", "brushes", "basket")
"""The built-in scenes; the first is the default."""
