"""What a frame looks like: panes, captions, legends and colour bars, without OpenGL."""
