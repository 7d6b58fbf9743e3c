"""Folders with the user's own kernels: reading, creating and checking them.

Begin with ``folder``; ``verdict`` judges the kernels of a folder.
"""
