"""Formats of calibration files: the names and the meaning of the numbers in each."""
