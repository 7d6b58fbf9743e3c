"""Provide lessons: read their files, fill in the facts that texts name, and make their drawings."""
