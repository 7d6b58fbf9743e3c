"""Run external programs for comparison; their results need not be identical to the reference."""
