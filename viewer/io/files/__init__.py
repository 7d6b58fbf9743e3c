"""Files that the program writes, either completely or not at all, and reads again."""
