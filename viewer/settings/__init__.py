"""What is left when the window is closed: settings, presets, screenshots, command lines."""
