"""Variants of ``sgm`` that the user adds: networks in ONNX files, and external programs.

Begin with ``own_peer``; ``probing`` finds out what a network takes and gives.
"""
