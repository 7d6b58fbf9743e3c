"""The palette: a list of everything that can be done, searched by typing."""
