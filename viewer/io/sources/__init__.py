"""Sources of frames: image files, folders, built-in scenes; their calibration and ground truth."""
