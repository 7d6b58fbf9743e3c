"""The panel of slow motion: a stage, a slider through its moments, and an explanation."""
