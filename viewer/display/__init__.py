"""The display of results: the layout of images, their drawing, and the frames shown."""
