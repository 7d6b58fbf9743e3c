"""Distances between pixels, and how flat, filled and steady depth is in a rectangle."""
