"""``wheatstone bench``: compare variants with the reference, then time them.

Begin with ``verb``; ``options`` reads the command line, ``viewer.run.measuring`` measures.
"""
