"""The viewer: its window, its rendering without a window, and its command line."""

VERSION = "0.2.0"
