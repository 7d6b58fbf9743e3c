"""The panel of the race between variants, and of the sweep over a parameter."""
