"""The menu bar and the toolbar, made from the table of actions."""
