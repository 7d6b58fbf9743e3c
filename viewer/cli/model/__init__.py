"""``wheatstone model``: determine the convention of a stereo network."""
