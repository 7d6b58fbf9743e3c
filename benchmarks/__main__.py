"""Run a benchmark, or list all of them."""

import sys

from benchmarks.runner import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
