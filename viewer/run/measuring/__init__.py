"""Measure variants; shared by ``bench``, ``report``, ``evaluate``, ``compare`` and the race."""
