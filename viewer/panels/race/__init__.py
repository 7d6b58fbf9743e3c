"""The race of the variants, and the sweep over a parameter."""
