"""The ground truth panel: how good a result is."""
