"""``wheatstone bench``: variants compared with the reference, then timed.

Begin with ``verb``; ``command`` reads the command line, ``gpu.measurement`` measures.
"""
