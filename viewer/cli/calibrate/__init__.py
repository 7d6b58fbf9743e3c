"""``wheatstone calibrate``: calibrate two cameras from pairs that show a board.

Begin with ``verb``; ``viewer.io.cameras.calibrating`` calibrates, ``printing`` prints boards.
"""
