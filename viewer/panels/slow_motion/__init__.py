"""A stage in slow motion: which stage, a slider through its moments, and what is seen now."""
