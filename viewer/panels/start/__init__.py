"""The start page: sources to open, recent sources, and a tour."""
