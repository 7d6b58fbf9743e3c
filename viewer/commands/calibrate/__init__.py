"""``wheatstone calibrate``: find out what two cameras are from pairs that show a board.

Begin with ``verb``; ``viewer.cameras.calibrating`` calibrates, ``printing`` prints boards.
"""
