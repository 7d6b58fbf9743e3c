"""How A and B are shown together."""
