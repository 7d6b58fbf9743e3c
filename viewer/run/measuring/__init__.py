"""Measure variants, for ``bench``, ``report``, ``evaluate``, ``compare`` and the window's race."""
