"""The time line of a sequence: the position of the current frame, to drag, with thumbnails."""
