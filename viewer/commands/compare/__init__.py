"""``wheatstone compare``: say where two variants, or a variant and a file of values, differ.

Begin with ``verb``; ``gpu.analysis.comparison`` compares.
"""
