"""Unfold stages of pipelines in time: show their computation step by step, in slow motion."""
