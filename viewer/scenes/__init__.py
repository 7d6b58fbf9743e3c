"""The built-in scenes: a ray tracer of their own, and what stands where in each."""

SCENES = ("orbit", "corridor", "garden")
"""The built-in scenes; the first is the default."""
