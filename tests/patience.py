"""Wait for what another thread or process does, as long as a busy machine may take."""

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds; on idle cores nothing needs a tenth of it
OFTEN = 0.04  # seconds between two looks, between which a window may draw


def wait_until(
    happened: Callable[[], object], meanwhile: Callable[[], object] = lambda: None
) -> None:
    """Wait until something holds.

    Args:
        meanwhile: called between two looks; what has to go on for it to happen.
    """
    ends = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > ends:
            raise AssertionError(f"it did not happen within {PATIENCE:g} s")
        meanwhile()
        time.sleep(OFTEN)
