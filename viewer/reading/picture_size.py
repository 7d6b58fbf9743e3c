"""The maximum size of pictures, for files of any format."""

LARGEST = 8192
"""The maximum height or width of a picture, in pixels."""
