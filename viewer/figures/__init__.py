"""Figures for reports: a grid of views with names and metrics, as PNG, SVG or PDF."""
