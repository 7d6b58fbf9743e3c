"""The kernel panel: source code, launches and resources of the kernels that run."""
