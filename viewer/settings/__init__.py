"""Save and restore the viewer's state: settings, presets, screenshots and command lines."""
