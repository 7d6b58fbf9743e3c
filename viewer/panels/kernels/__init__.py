"""The kernel card: source, launch and resources of the kernels that run."""
