"""Run the user's own kernels as a variant: their contract, launches, child process and variant.

Begin with ``contract``, which declares what a stage's kernel takes.
"""
