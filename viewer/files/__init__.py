"""Files that the program writes: whole or not at all."""
