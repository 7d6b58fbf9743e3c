"""Run the benchmark that the command line names, or list all benchmarks."""

import sys

from benchmarks.runner import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
