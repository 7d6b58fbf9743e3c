"""``wheatstone bench``: variants compared with the reference, then timed.

Begin with ``verb``; ``command`` reads the command line, ``measuring`` and ``gpu.measurement``
measure.
"""
