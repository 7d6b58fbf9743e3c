"""The command line: every verb of the program, with its options."""
