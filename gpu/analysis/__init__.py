"""Measure, compare and judge pipelines that run."""
