"""Specify the algorithm of every stage in plain loops, one file per stage."""
