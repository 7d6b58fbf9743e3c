"""Run programs from outside beside ours; they are never claimed to be identical."""
