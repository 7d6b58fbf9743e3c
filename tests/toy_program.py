"""The program with the toy pipeline beside its own."""

import sys

from tests.toy import TOY
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import main

if __name__ == "__main__":
    PIPELINES[TOY.name] = TOY
    sys.exit(main())
