"""How a function of plain Python becomes machine code."""

from numba import njit

compiled = njit(cache=True, nogil=True)
"""Compiled when first called, kept for the next start; releases Python's lock while it runs, so
that other threads, such as a window's, go on."""
