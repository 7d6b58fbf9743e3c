"""The panel that shows the cost curves of a pixel, and selects which paths are summed."""
