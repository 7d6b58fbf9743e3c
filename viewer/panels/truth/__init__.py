"""The ground truth panel: how good a disparity is."""
