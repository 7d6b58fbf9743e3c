"""Programs from outside, run beside ours; never claimed to be identical."""
