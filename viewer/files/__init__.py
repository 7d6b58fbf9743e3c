"""Files that the program writes, and reads again: whole or not at all."""
