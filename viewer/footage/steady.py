"""Files that media libraries write to, which keep errors of writing until they are asked for."""

import io
from typing import Any


class SteadyFile(io.FileIO):
    """A file that keeps errors of writing to itself: PyAV would print each with a traceback."""

    _failed: OSError | None = None
    size = 0
    """Bytes as far as they were written."""

    def write(self, encoded: Any) -> int:
        """Write all of it, or remember why that failed."""
        rest = memoryview(encoded)
        try:
            while rest:
                rest = rest[super().write(rest) :]
                self.size = max(self.size, self.tell())
        except OSError as error:
            self._failed = self._failed or error
        return len(encoded)

    def check(self) -> None:
        """Raise the error that writing met, if it met any."""
        if self._failed:
            raise self._failed
