"""The inspector panel: all values at a pixel, and how values are shown."""
