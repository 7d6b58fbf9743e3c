"""Stereo cameras: calibrations, rigs, rectification, and calibration from views of a board."""
