"""A lesson: its steps in words, with numbers found out on the picture shown."""
