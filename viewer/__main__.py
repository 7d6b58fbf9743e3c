"""Run the program by ``python -m viewer``, the same as by the command ``wheatstone``."""

from viewer.commands.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
