"""Compute stages on the CPU at full speed, on all cores and sixteen disparities at a time."""
