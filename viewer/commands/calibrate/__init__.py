"""``wheatstone calibrate``: calibrate two cameras from pairs that show a board.

Begin with ``verb``; ``viewer.cameras.calibrating`` calibrates, ``printing`` prints boards.
"""
