"""A stage in slow motion: which stage, a slider through its moments, and what it shows."""
