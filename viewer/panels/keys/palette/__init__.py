"""The command palette: a list of all commands, searched by typing."""
