"""OpenGL and windows: contexts, textures, shaders, and the display that draws a picture."""
