"""Show step by step, in slow motion, how a stage computes its result; called unfolding."""
