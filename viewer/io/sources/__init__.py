"""Sources of frames: image files, folders, videos, cameras and built-in scenes."""
