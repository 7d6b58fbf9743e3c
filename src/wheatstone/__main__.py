"""Run the program with ``python -m wheatstone``, the same as with the command ``wheatstone``."""


def main() -> int:
    """Run the command line and return its exit code.

    Ctrl+C also ends the program during the imports.
    """
    try:
        from wheatstone.viewer.cli.cli import main as run
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        import sys

        from wheatstone.gpu.installation import this_installation

        package = (error.name or "").partition(".")[0]
        again = this_installation().command(package, "--force-reinstall")
        remedy = f"; install it again with: {again}" if package else ""
        print(f"wheatstone: a package does not load: {error}{remedy}", file=sys.stderr)
        return 3
    return run()


if __name__ == "__main__":
    raise SystemExit(main())
