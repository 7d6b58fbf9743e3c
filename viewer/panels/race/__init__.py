"""The race panel: a race between variants, and a sweep over a parameter."""
