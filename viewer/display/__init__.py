"""Draw results: pictures, the painter, and the frames that are shown."""
