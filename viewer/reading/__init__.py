"""Doors for files that a stranger may have sent: size, depth and types are bounded."""
