"""``wheatstone evaluate``: a pipeline's disparities on a data set, judged against the truth.

Begin with ``verb``; ``data_sets`` and ``manifest`` say what a data set is, ``judge`` judges a pair
by one of ``gpu.analysis.conventions``.
"""
