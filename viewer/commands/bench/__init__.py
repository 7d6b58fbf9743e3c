"""``wheatstone bench``: variants compared with the reference, then timed.

Begin with ``verb``; ``options`` reads the command line, ``viewer.measuring`` measures.
"""
