"""The user's choices as plain data, and all functions that change them."""
