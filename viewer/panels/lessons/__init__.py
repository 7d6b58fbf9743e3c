"""Lessons: reading of their files, the facts that their texts name, and their drawings."""
