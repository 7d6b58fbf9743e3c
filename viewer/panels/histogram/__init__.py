"""The histogram, and the range of values shown."""
