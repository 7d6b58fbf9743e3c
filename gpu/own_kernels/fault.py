"""The exception that is raised when a user's kernel fails."""

from collections.abc import Mapping
from typing import Literal

FaultReason = Literal[
    "compile", "launch", "access", "uninitialised", "race", "barrier", "time", "crash", "exception"
]

OF_LAUNCHES: Mapping[str, FaultReason] = {
    "launch": "launch",
    "uninitialised": "uninitialised",
    "race": "race",
    "barrier": "barrier",
}
"""The reason for a kind of fault of an emulated launch; ``access`` for all others."""


class KernelFault(ValueError):
    """The error raised if a user's kernel did not do its work; the program can continue.

    Attributes:
        stage: name of the stage.
        reason: ``compile``: it does not compile; ``launch``: it cannot be launched; ``access``:
            it accessed memory that is not its own; ``uninitialised``: it read shared memory that
            nothing wrote; ``race``: two threads accessed memory in no certain order; ``barrier``:
            not all threads of a block reached one; ``time``: it did not end in time; ``crash``: its
            process ended; ``exception``: its Python function raised one.
        message: a sentence.
        file, line: of the statement; an empty name and 0 where it is not known.
    """

    def __init__(
        self, stage: str, reason: FaultReason, message: str, file: str = "", line: int = 0
    ) -> None:
        place = f"{file}:{line}: " if file else ""
        super().__init__(f"{stage}: {place}{message}")
        self.stage, self.reason, self.message = stage, reason, message
        self.file, self.line = file, line
