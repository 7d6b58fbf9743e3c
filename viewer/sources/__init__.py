"""Where frames come from: image files, folders and the built-in scenes; calibration and truth."""
