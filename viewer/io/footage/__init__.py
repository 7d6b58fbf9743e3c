"""Decoding and recording of video files, cameras and streams with PyAV."""
