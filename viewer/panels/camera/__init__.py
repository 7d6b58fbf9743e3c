"""The panel of the cameras: lens, baseline, measurable depths, row alignment."""
