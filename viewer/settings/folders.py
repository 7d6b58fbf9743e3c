"""The folder of this program's settings."""

from pathlib import Path

from platformdirs import user_config_path


def settings_folder() -> Path:
    """Return the folder of settings, such as ``~/.config/wheatstone``, which need not exist."""
    return user_config_path("wheatstone")
