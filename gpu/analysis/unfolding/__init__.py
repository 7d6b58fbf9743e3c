"""Unfold stages of pipelines in time: what each does first, and what next, to be watched slowly."""
