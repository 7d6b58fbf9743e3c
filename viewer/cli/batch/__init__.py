"""``wheatstone batch``: run a pipeline on many pairs, and write files and a summary table.

Begin with ``verb``; ``pairs`` lists the pairs, ``work`` runs one pair in any process or worker.
"""
