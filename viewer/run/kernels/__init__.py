"""Folders with the user's own kernels: reading them, creating them, judging them.

Begin with ``folder``; ``verdict`` judges the kernels of a folder.
"""
