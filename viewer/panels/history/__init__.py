"""The steps made so far, to go back to, and to be compared as A and B."""
