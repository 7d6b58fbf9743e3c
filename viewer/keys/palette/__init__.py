"""The palette: everything that can be done, found by typing."""
