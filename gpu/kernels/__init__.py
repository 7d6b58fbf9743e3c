"""The CUDA implementations: one algorithm a file, its memory variants share one template."""
