"""The kernel card: source code, launches and resources of the kernels that run."""
