"""``wheatstone model``: determine the input and output conventions of a stereo network."""
