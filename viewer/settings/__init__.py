"""What outlives the window: settings, presets, screenshots, command lines."""
