"""Computation of pipelines on the frames of sources, and its results.

``Run`` describes the computation, ``Engine`` computes it, ``Result`` holds the images. The window,
the verbs of the command line and the public package ``wheatstone`` are built on them.
"""
