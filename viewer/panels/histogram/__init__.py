"""The histogram panel, which also changes the range of values shown."""
