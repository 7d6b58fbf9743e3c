"""``wheatstone evaluate``: measure the errors of disparities against a data set's ground truth.

Begin with ``verb``; ``data_sets`` finds the pairs of a data set, ``viewer.run.carry`` judges them
by one of ``gpu.analysis.conventions``.
"""
