"""OpenGL and windows: contexts, textures, shaders, and the display that draws a picture.

Modules that import ``OpenGL`` at their top are imported after ``opengl.bind`` has bound it.
"""
