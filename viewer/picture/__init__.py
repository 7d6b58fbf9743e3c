"""What a frame looks like, without OpenGL."""
