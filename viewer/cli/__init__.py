"""The command line: every verb (subcommand) of the program, with its options."""
