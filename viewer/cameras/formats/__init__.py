"""Formats of calibration files: what each calls its numbers, and what they mean."""
