"""Specify what every stage computes, one file a stage, in plain loops."""
