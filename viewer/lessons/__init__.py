"""Lessons: files of text and states, facts that their texts name, what is drawn for them."""
