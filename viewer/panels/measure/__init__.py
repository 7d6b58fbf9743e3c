"""The measure panel: the distance of two pixels; flatness, fill rate and noise of a rectangle."""
