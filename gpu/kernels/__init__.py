"""Launch CUDA kernels: one algorithm a file, whose memory variants share one template."""
