"""Signs that keys type, whichever keys they are: what a window and a browser tell of alike."""

SIGNS = {"+": "Plus", "=": "Plus", "-": "Minus", "_": "Minus"}
"""What zooms, whatever keyboards need to type it."""
BRACKETS = {"{": "[", "}": "]"}
"""What Shift and a bracket type where the brackets have keys of their own."""
