"""Describe and lay out pictures: panes, captions, legends and colour bars, without OpenGL."""
