"""The command line: every verb with its options."""
