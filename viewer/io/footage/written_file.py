"""Files for media libraries that store write errors instead of raising them."""

import io
from typing import Any


class SteadyFile(io.FileIO):
    """A file that stores write errors for ``check``: PyAV would print each with a traceback."""

    _failed: OSError | None = None
    size = 0
    """Number of bytes written."""

    def write(self, encoded: Any) -> int:
        """Write all bytes, or store the error."""
        rest = memoryview(encoded)
        try:
            while rest:
                rest = rest[super().write(rest) :]
                self.size = max(self.size, self.tell())
        except OSError as error:
            self._failed = self._failed or error
        return len(encoded)

    def check(self) -> None:
        """Raise the stored write error, if there is one."""
        if self._failed:
            raise self._failed
