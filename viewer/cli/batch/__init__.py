"""``wheatstone batch``: run a pipeline on many pairs, and write files and a summary table.

Begin with ``verb``; ``viewer.cli.pairs`` lists the pairs, ``work`` computes one pair and writes its
files in any process or worker; ``sending`` serves workers without access to the files.
"""
