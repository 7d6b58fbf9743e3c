"""The plot panel: values of the frames over time, such as errors, flicker and compute times."""
