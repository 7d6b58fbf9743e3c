"""Names of typed signs, independent of the keyboard; shared by windows and browsers."""

SIGNS = {"+": "Plus", "=": "Plus", "-": "Minus", "_": "Minus"}
"""The signs that zoom, independent of the keys that type them."""
BRACKETS = {"{": "[", "}": "]"}
"""The signs that Shift and a bracket type where the brackets have keys of their own."""
