"""The panel of the history: earlier steps, to return to or to compare as A and B."""
