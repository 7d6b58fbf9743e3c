"""``wheatstone kernel``: make a folder for kernels of your own, and check them.

Begin with ``verb``; ``viewer.run.kernels`` does the work.
"""
