"""The program with the toy pipeline beside its own."""

import sys

from gpu.pipelines import PIPELINES
from tests.toy import TOY
from viewer.commands.cli import main

if __name__ == "__main__":
    PIPELINES[TOY.name] = TOY
    sys.exit(main())
