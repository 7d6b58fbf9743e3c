"""The start page: what can be opened, what was opened before, and a tour."""
