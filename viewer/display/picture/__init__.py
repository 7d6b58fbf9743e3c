"""Description and layout of pictures: images, captions, legends, colour bars; without OpenGL."""
