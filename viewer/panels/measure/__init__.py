"""The panel of measures: distances between pixels; flatness, fill rate and noise of a rectangle."""
