"""Shared readers of live sources: one running reader per device, for all users of its frames.

A camera can be opened only once, and data read from a pipe is gone: so a source that is opened
again, for example in another layout, gets its frames from the reader that is still running.
"""

import threading

from wheatstone.viewer.io.footage.address import Address
from wheatstone.viewer.io.footage.reader import Reader, Taker

_running: dict[Address, Reader] = {}
_lock = threading.Lock()


def borrow(address: Address, take: Taker) -> Reader:
    """Register ``take`` for the frames of a device; start a reader if none is running.

    Args:
        address: of the device.
        take: called in the reader's thread with every frame, and immediately with the newest;
            must not wait.
    """
    with _lock:
        reader = _running.get(address)
        if reader is None or (reader.error and not reader.received):
            reader = _running[address] = Reader(address)
            reader.takers = (take,)
            reader.start()
        else:
            if reader.newest:
                take(reader.newest)
            reader.decodes = True
            reader.takers += (take,)
        return reader


def give_back(reader: Reader, take: Taker) -> None:
    """Unregister ``take`` from a reader; close the reader if no other taker remains."""
    with _lock:
        reader.takers = tuple(taker for taker in reader.takers if taker is not take)
        if reader.takers:
            return
        if _running.get(reader.address) is reader:
            del _running[reader.address]
    reader.close()
