"""The keys and the mouse: the table of actions, the help, the menus and the palette."""
