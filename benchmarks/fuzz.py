"""Try hostile inputs of every kind that the program reads.

Run as ``python -m benchmarks.fuzz --cases 20000``. Every case is named by its kind and its seed;
``--only images --seed 7`` tries one kind; ``--again "images 7000012"`` tries one case.
"""

import argparse
import sys
import time
from collections import Counter

from tests.fuzz.kinds import kinds
from tests.fuzz.running import Case, cases, run
from wheatstone.gpu.cpu.cores import core_count


def main() -> int:
    """Try the cases that the command line asks for; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], choices=list(kinds()))
    parser.add_argument("--again", metavar="CASE", help="a kind and a seed, as a finding names it")
    parser.add_argument("--processes", type=int, default=core_count())
    options = parser.parse_args()
    wanted = [_named(options.again)] if options.again else None
    wanted = wanted or cases(options.cases, options.seed, options.only)
    begun, wrong, tried = time.monotonic(), 0, Counter[str]()
    for number, finding in enumerate(run(wanted, options.processes), 1):
        tried[finding.case[0]] += 1
        if finding.wrong:
            wrong += 1
            print(finding, flush=True)
        if number % 500 == 0 and sys.stderr.isatty():
            print(f"{number} of {len(wanted)}, {wrong} wrong", file=sys.stderr, flush=True)
    by_kind = ", ".join(f"{name} {count}" for name, count in sorted(tried.items()))
    print(f"{len(wanted)} cases ({by_kind}): {wrong} wrong, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


def _named(case: str) -> Case:
    kind, _, seed = case.rpartition(" ")
    return kind, int(seed)


if __name__ == "__main__":
    sys.exit(main())
