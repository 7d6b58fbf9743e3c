"""The menu bar and the toolbar, built from the table of actions."""
