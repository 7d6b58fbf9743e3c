"""Measuring variants: what the verbs and the race share."""
