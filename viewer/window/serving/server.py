"""The HTTP server that shows the program's window in browsers, in a thread of its own."""

import asyncio
import logging
import ssl
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError

from wheatstone.viewer import VERSION
from wheatstone.viewer.resources import ASSETS, ICON
from wheatstone.viewer.window.serving.admission import ConnectionAcceptor
from wheatstone.viewer.window.serving.authorisation import SUBPROTOCOL
from wheatstone.viewer.window.serving.conversation import Conversation
from wheatstone.viewer.window.serving.served import Served
from wheatstone.viewer.window.serving.uploads import TooLargeError

PAGE = ASSETS / "serving"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
LARGEST_MESSAGE = 65536  # bytes
HEARTBEAT = 10.0  # seconds after which a viewer that says nothing is asked whether it is there
PATIENCE = 10.0  # seconds until the server listens
CHUNK, CHUNK_SECONDS = 2**16, 30.0  # bytes of a body that must come within these seconds
ERRORS = logging.getLogger("wheatstone.viewer.window.serving")


def _is_own(record: logging.LogRecord) -> bool:
    """Return whether a log record reports the program's own error, not an invalid request."""
    error = record.exc_info and record.exc_info[1]
    return not isinstance(error, HttpProcessingError | web.RequestPayloadError)


ERRORS.addFilter(_is_own)


class Server:
    """The HTTP server of the window's page, in its own thread.

    Args:
        tls: certificate and key, as PEM; None: without TLS.

    Raises:
        OSError: the port is in use, or host, certificate or key are invalid.
    """

    def __init__(self, served: Served, tls: tuple[Path, Path] | None = None) -> None:
        self._served, self._tls = served, _tls_context(tls)
        self._loop = asyncio.SelectorEventLoop()  # also on Windows: see `admission`
        self._listens = threading.Event()
        self._failed: OSError | None = None
        self._ended = asyncio.Event()
        self._pages = _pages()
        self._thread = threading.Thread(target=self._run, name="serving", daemon=True)
        self._thread.start()
        self._listens.wait(PATIENCE)
        if self._failed:
            raise self._failed

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except OSError as error:
            self._failed = error
        finally:
            self._listens.set()
            self._loop.run_until_complete(_end_tasks())
            self._loop.close()

    async def _serve(self) -> None:
        """Listen for requests until the server is closed."""
        served = self._served
        app = web.Application(middlewares=[self._let_in], client_max_size=LARGEST_MESSAGE)
        app.on_response_prepare.append(self._set_headers)
        app.router.add_get("/session", self._session)
        app.router.add_get("/ws", self._talk)
        app.router.add_post("/upload", self._upload)
        app.router.add_get("/file/{key}", self._download)
        app.router.add_get("/{name:.*}", self._page)
        runner = web.AppRunner(
            app,
            access_log=None,
            logger=ERRORS,
            auto_decompress=False,  # a file is taken as it was sent
            handle_signals=False,
            shutdown_timeout=1.0,
        )
        await runner.setup()
        assert runner.server
        self._admission = ConnectionAcceptor(runner.server, self._tls)
        try:
            access = served.access
            access.port = await self._admission.open(access.host, access.port)
            self._listens.set()
            await self._ended.wait()
        finally:
            self._admission.close()
            await runner.cleanup()

    def close(self) -> None:
        """Close the connections of all viewers, and stop listening."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    @web.middleware
    async def _let_in(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Reject requests with an invalid ``Host`` header; handle all others."""
        if not self._served.access.is_our_host(request.headers.get("Host")):
            raise web.HTTPForbidden(text="This address does not belong to this program.\n")
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _set_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(self._served.access.headers())
        response.headers.popall("Server", None)

    async def _page(self, request: web.Request) -> web.Response:
        page = self._pages.get(request.match_info["name"] or "index.html")
        if not page:
            raise web.HTTPNotFound(text="There is no such page.\n")
        kind, content = page
        return web.Response(
            body=content, content_type=kind, charset="utf-8" if kind.startswith("text/") else None
        )

    def _require_token(self, request: web.Request, *, origin: bool = False) -> None:
        """Reject requests without the token or from another page's origin.

        ``origin``: whether the ``Origin`` header is required.
        """
        access, sender = self._served.access, request.headers.get("Origin")
        if (sender is not None or origin) and not access.is_our_origin(sender):
            raise web.HTTPForbidden(
                text="Requests are allowed only from this program's own page.\n"
            )
        if not access.bears_token(request.headers.get("Authorization")):
            raise web.HTTPUnauthorized(text="The token is missing or wrong.\n")
        self._admission.trust(request)

    async def _session(self, request: web.Request) -> web.Response:
        """Respond with the program's name, version, limits and codecs."""
        self._require_token(request)
        served = self._served
        facts = {
            "name": served.title() or "Wheatstone",
            "version": VERSION,
            "read_only": served.read_only,
            "upload_limit": served.uploads.largest,
            "codecs": served.codecs,
            "full": served.viewers.full,
        }
        return web.json_response(facts)

    async def _talk(self, request: web.Request) -> web.WebSocketResponse:
        """Handle a viewer's WebSocket connection until it ends."""
        access = self._served.access
        offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
        tokens = [word.strip() for word in offered if word.strip() != SUBPROTOCOL]
        known = any([access.knows_token(token) for token in tokens])
        if not (access.is_our_origin(request.headers.get("Origin")) and known):
            raise web.HTTPForbidden(
                text="Viewing is allowed only from this program's own page, with its token.\n"
            )
        self._admission.trust(request)
        socket = web.WebSocketResponse(
            protocols=(SUBPROTOCOL,),
            heartbeat=HEARTBEAT,
            max_msg_size=LARGEST_MESSAGE,
            compress=False,
        )
        await socket.prepare(request)
        await Conversation(self._served, socket, self._ended).hold()
        return socket

    async def _upload(self, request: web.Request) -> web.Response:
        """Receive a file that the viewer in control uploads."""
        self._require_token(request, origin=True)
        served = self._served
        if served.read_only:
            raise web.HTTPForbidden(text="This program is read-only: it accepts no files.\n")
        controller = served.viewers.controller
        if not controller or request.headers.get("X-Viewer") != controller:
            raise web.HTTPForbidden(text="Only the viewer in control may send files.\n")
        if (request.content_length or 0) > served.uploads.largest:
            raise _too_large(f"Files must have at most {served.uploads.largest:,} bytes.")
        try:
            key = await served.uploads.receive(request.query.get("name", ""), _chunks(request))
        except TooLargeError as error:
            raise _too_large(str(error)) from None
        except TimeoutError:
            text = f"Fewer than {CHUNK:,} bytes arrived in {CHUNK_SECONDS:g} seconds.\n"
            raise web.HTTPRequestTimeout(text=text, headers={"Connection": "close"}) from None
        except (ValueError, web.RequestPayloadError) as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        except OSError as error:
            raise web.HTTPInsufficientStorage(text=f"{error.strerror or error}\n") from None
        return web.json_response({"id": key})

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Respond with a file that the program wrote."""
        self._require_token(request)
        offered = self._served.offers.find(request.match_info["key"])
        if not offered or not offered.path.is_file():
            raise web.HTTPNotFound(text="This file no longer exists.\n")
        response = web.FileResponse(offered.path)
        response.headers["Content-Disposition"] = "attachment"
        response.content_type = "application/octet-stream"
        return response


async def _end_tasks() -> None:
    """Cancel the tasks that still run in the event loop, such as unfinished responses."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _too_large(message: str) -> web.HTTPException:
    return web.HTTPRequestEntityTooLarge(max_size=0, actual_size=0, text=f"{message}\n")


async def _chunks(request: web.Request) -> AsyncIterator[bytes]:
    """Yield the body of a request in chunks.

    Raises:
        TimeoutError: a chunk took longer than ``CHUNK_SECONDS``.
    """
    while True:
        try:
            async with asyncio.timeout(CHUNK_SECONDS):
                chunk = await request.content.readexactly(CHUNK)
        except asyncio.IncompleteReadError as end:
            yield end.partial
            return
        yield chunk


def _tls_context(tls: tuple[Path, Path] | None) -> ssl.SSLContext | None:
    """Load the TLS certificate and key; raise ``OSError`` if they are invalid."""
    if not tls:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*map(str, tls))
    return context


def _pages() -> dict[str, tuple[str, bytes]]:
    """Read the files of the page; return content type and content by file name."""
    files = [path for path in PAGE.glob("*") if path.suffix in KINDS] if PAGE.is_dir() else []
    pages = {path.name: (KINDS[path.suffix], path.read_bytes()) for path in files}
    return pages | {"icon.png": ("image/png", ICON.read_bytes())}
