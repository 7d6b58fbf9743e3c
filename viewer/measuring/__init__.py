"""Measure variants: what ``bench``, ``report``, ``evaluate``, ``compare`` and the race share."""
