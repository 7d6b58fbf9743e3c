"""The race panel: time all variants once, or for several values of a parameter (sweep)."""
