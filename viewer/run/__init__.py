"""Run a pipeline on the frames of a source, and hold its result.

``Run`` describes the computation, ``Engine`` computes it, ``Result`` holds the images. The window,
the verbs of the command line and the public package ``wheatstone`` are built on them.
"""
