"""The panel that calibrates a rig while its cameras run."""
