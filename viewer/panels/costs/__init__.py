"""The panel of a pixel's cost curves, and the choice of the paths summed."""
