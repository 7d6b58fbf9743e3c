"""Lessons: reading their files, computing facts (numbers) for their texts, and drawings."""
