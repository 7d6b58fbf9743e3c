"""The viewer: the window, the offscreen target and the command line."""

VERSION = "0.2.0"
