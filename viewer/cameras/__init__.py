"""What stereo cameras are: calibrations, rigs, how a pair is rectified, and what it takes."""
