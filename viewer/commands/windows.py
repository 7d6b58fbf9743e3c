"""List the verbs that show the program's window, on a screen or in browsers."""

WINDOWS = ("view", "serve", "lesson")
