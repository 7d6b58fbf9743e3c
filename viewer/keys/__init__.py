"""What keys and mouse do: the table of actions, the help, the palette."""
