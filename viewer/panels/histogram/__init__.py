"""The histogram panel, and the range of values shown."""
