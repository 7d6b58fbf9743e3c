"""The time line of a sequence: where the frame shown lies in it, with thumbnails, to be dragged."""
