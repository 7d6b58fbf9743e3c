"""Measurements of the program, each started by its name: ``python -m benchmarks NAME``."""
