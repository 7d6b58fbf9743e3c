"""The panel that plots values of frames over time: errors, density, flicker, rows, computing."""
