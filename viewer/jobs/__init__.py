"""Run one function on thousands of pairs: in this process, in others, or on Dask workers.

Begin with ``carrying``; ``processes`` and ``cluster`` are two of the ways, ``checks`` asks workers
before the first job whether they can run the jobs.
"""
