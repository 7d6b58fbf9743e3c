"""Variants of ``sgm`` from outside: networks in ONNX files, and programs of the user's.

Begin with ``own_peer``; ``probing`` finds out what a network takes and gives.
"""
