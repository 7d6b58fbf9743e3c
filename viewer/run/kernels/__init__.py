"""Folders of the user's own kernels: reading, making, judging.

Begin with ``folder``; ``verdict`` judges the kernels of a folder.
"""
