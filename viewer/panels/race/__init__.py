"""The race panel: time all variants on a frame (race), or over values of a parameter (sweep)."""
