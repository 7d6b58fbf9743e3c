"""The built-in scenes: a small ray tracer, and what stands where in each scene."""

SCENES = ("orbit", "corridor", "garden")
"""The built-in scenes; the first is the default."""
