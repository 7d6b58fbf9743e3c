"""The ground truth panel: the errors and other quality figures of a disparity."""
