"""What is drawn, and where: OpenGL, windows, and the one picture of a frame."""
