"""The lesson panel: steps of text, with numbers computed from the current picture."""
