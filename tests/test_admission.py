"""Where the server listens, whatever a host's name means to a machine."""

import asyncio
import socket
from typing import Any

import pytest

from wheatstone.viewer.window.serving.admission import ConnectionAcceptor


def addresses(host: str) -> list[str]:

    async def listened() -> list[str]:
        admission: Any = ConnectionAcceptor(None, None)  # type: ignore[arg-type]
        await admission.open(host, 0)
        listed = [listening.getsockname()[0] for listening in admission._listening]
        admission.close()
        return listed

    return asyncio.run(listened())


def test_no_host_is_every_address_of_the_machine() -> None:
    assert addresses("127.0.0.1") == ["127.0.0.1"]
    assert "0.0.0.0" in addresses("")


def test_an_address_that_a_machine_names_twice_is_listened_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    getaddrinfo = socket.getaddrinfo

    def twice(*words: Any, **more: Any) -> list[Any]:
        return getaddrinfo(*words, **more) * 2

    monkeypatch.setattr(socket, "getaddrinfo", twice)
    assert addresses("127.0.0.1") == ["127.0.0.1"]
