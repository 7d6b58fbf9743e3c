"""The largest pictures that are read, of whatever kind their files are."""

LARGEST = 8192
"""The largest height or width of a picture, in pixels."""
