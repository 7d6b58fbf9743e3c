"""Description and layout of pictures: panes, captions, legends, colour bars; without OpenGL."""
