"""What the user chose, as plain data, and every way to change it."""
