"""Small multiples: results over two parameters, as a grid of thumbnails."""
