"""The panel of messages: the log of all messages for the user."""
