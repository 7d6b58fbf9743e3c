"""The effects of keys and mouse: the table of actions, the help, the palette."""
