"""``wheatstone compare``: list the differences between two variants or files of values.

Begin with ``verb``; ``gpu.analysis.comparison`` compares.
"""
