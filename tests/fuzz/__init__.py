"""Hostile inputs of every kind that the program reads, made from a seed, and what must hold."""
