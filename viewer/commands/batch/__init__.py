"""``wheatstone batch``: any number of pairs through a pipeline, into files and a table.

Begin with ``verb``; ``pairs`` lists what is computed, ``work`` does one pair, wherever that is.
"""
