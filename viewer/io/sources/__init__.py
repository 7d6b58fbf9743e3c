"""Sources of frames (files, folders, videos, cameras, scenes), calibration and ground truth."""
