"""``wheatstone evaluate``: judge a pipeline's disparities on a data set against the truth.

Begin with ``verb``; ``data_sets`` finds the pairs of a data set, ``judge`` judges a pair by one of
``gpu.analysis.conventions``.
"""
