"""Run the program with ``python -m wheatstone``, the same as with the command ``wheatstone``."""


def main() -> int:
    """Run the command line and return its exit code. Ctrl+C also works during the imports."""
    try:
        from wheatstone.viewer.cli.cli import main as run
    except KeyboardInterrupt:
        return 130
    return run()


if __name__ == "__main__":
    raise SystemExit(main())
