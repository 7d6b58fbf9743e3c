"""Compute stages on the CPU at full speed: all cores, sixteen disparities at a time."""
