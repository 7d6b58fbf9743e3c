"""Jobs: one function called for thousands of pairs, here, by processes, or by workers of Dask.

Begin with ``carrying``; ``processes`` and ``cluster`` are two of the ways, ``checks`` asks workers
before the first job whether they can do what is wanted.
"""
