"""Run the program by ``python -m viewer``, the same as by the command ``wheatstone``."""


def main() -> int:
    """Run the command line; return its exit code. Ctrl+C ends the program while it loads, too."""
    try:
        from viewer.commands.cli import main as run
    except KeyboardInterrupt:
        return 130
    return run()


if __name__ == "__main__":
    raise SystemExit(main())
