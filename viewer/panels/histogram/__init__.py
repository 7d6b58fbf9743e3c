"""The histogram panel, and the choice of the range of values shown."""
