"""The user's own kernels as a variant: contract, launches, child process and declaration.

Begin with ``contract``, which declares what a stage's kernel takes.
"""
