"""Sources of frames (files, folders, videos, cameras, scenes), and their ground truth."""
