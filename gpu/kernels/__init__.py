"""Launch CUDA kernels; each file holds one algorithm, whose memory variants share a template."""
