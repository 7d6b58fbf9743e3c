"""The readers that run, shared by all who want the frames of one device.

A camera can be opened once only, and what a pipe gave is gone: so a source that is opened anew,
such as in another layout, takes its frames from the reader of the one that is still shown.
"""

import threading

from wheatstone.viewer.footage.address import Address
from wheatstone.viewer.footage.reader import Reader, Taker

_running: dict[Address, Reader] = {}
_lock = threading.Lock()


def borrow(address: Address, take: Taker) -> Reader:
    """Have the frames of a device handed on, by the reader that runs or by a new one.

    Args:
        address: of the device.
        take: called on the reader's thread with every frame, and at once with the newest there is;
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
    """Want no more frames of a reader; the last one who does so closes it."""
    with _lock:
        reader.takers = tuple(taker for taker in reader.takers if taker is not take)
        if reader.takers:
            return
        if _running.get(reader.address) is reader:
            del _running[reader.address]
    reader.close()
