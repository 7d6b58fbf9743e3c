"""The tour: a few steps, each of which does one thing and points at it."""
