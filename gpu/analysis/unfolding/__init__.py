"""Show the computation of stages step by step, in slow motion; called unfolding them in time."""
