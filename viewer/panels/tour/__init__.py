"""The tour: a few steps, each of which runs some commands and highlights one area."""
