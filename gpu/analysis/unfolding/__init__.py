"""Unfold stages in time: show how a stage computes its result step by step, in slow motion."""
