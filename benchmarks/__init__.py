"""Benchmarks of the program, each run by its name: ``python -m benchmarks NAME``."""
