"""The parameter grid: results over two parameters, as a grid of thumbnails."""
