"""The panel of lessons: steps in words, with numbers computed from the current picture."""
