"""Footage: pictures decoded from video files, cameras and streams, by PyAV."""
