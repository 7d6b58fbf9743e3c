"""The inspector: all there is to say about a pixel, and how values are shown."""
