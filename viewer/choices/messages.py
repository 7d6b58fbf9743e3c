"""Messages for the user: their kinds, how long each stays on screen, and the log of all."""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Literal

from wheatstone.viewer.findings import Button

Kind = Literal["error", "warning", "hint", "success"]

READING = 4.0  # seconds that every message stays on screen
ACTING = 30.0  # seconds that a message with buttons stays
READING_EACH = 0.06  # seconds more for each of its characters
MOST_LOGGED = 200  # messages that the log keeps


@dataclass(frozen=True)
class Message:
    """A one-line message for the user, with its kind, such as warning or error.

    Attributes:
        kind: ``error``: the request failed; ``warning``: it was done, but the result may not be as
            expected; ``success``: something outside the window was done, such as a file written;
            ``hint``: all else, such as the current view, or possible next actions.
        buttons: what the user may do next, such as to open a file that was written.
    """

    kind: Kind
    text: str
    buttons: tuple[Button, ...] = ()

    @property
    def seconds(self) -> float:
        """Return the seconds that the user needs to read the message or to press a button."""
        return ACTING if self.buttons else READING + READING_EACH * len(self.text)


NOTHING = Message("hint", "")
"""No message."""


@dataclass(frozen=True)
class LoggedMessage:
    """A message in the log, with the time when it was made."""

    at: float  # when it was made, in seconds since the epoch
    message: Message

    @property
    def clock(self) -> str:
        """Format the time of day at which the message was made."""
        return time.strftime("%H:%M:%S", time.localtime(self.at))

    def __str__(self) -> str:
        return f"{self.clock}  {self.message.kind:<7}  {self.message.text}"


@dataclass(frozen=True)
class Messages:
    """The messages to the user: the newest, the one on screen, and a log.

    Times are in seconds, as ``time.monotonic`` counts.

    Attributes:
        on_screen: the message that is shown, until ``ends``.
        ends: infinite for an error: it stays until the user does something.
        log: the newest messages, the oldest first.
    """

    newest: Message = NOTHING
    on_screen: Message = NOTHING
    since: float = 0.0
    ends: float = 0.0
    log: tuple[LoggedMessage, ...] = field(default=(), repr=False)

    def with_newest(self, message: Message, now: float) -> "Messages":
        """Copy the messages with a new one, which is shown and logged.

        On screen, only another error replaces an error that awaits the user. An empty message,
        which is not logged, removes any other one from the screen.
        """
        log = self.log
        if message.text:
            log = (*log, LoggedMessage(time.time(), message))[-MOST_LOGGED:]
        if self.ends == math.inf and message.kind != "error":
            return replace(self, newest=message, log=log)
        seconds = math.inf if message.kind == "error" else message.seconds
        return Messages(message, message, now, now + seconds, log)

    def after_action(self, now: float) -> "Messages":
        """Copy the messages so that an error on screen disappears, now that the user has acted.

        It stays at least until there was time to read it.
        """
        if self.ends != math.inf:
            return self
        return replace(self, ends=max(now, self.since + self.on_screen.seconds))

    def dismissed(self) -> "Messages":
        """Copy the messages so that none is on screen."""
        return replace(self, ends=-math.inf)

    def cleared(self) -> "Messages":
        """Copy the messages without the log of earlier ones; the message on screen stays."""
        return replace(self, log=())

    def visible(self, now: float) -> Message:
        """Return the message that is on screen now; ``NOTHING`` without one."""
        return self.on_screen if now < self.ends else NOTHING


class Notified:
    """Base class of the viewer's state with one method for each kind of message to the user."""

    messages: Messages

    @property
    def message(self) -> str:
        """Return the text of the newest message."""
        return self.messages.newest.text

    def report_error(self, text: str) -> None:
        """Show an error message about a failed action."""
        self._notify(Message("error", text))

    def warn(self, text: str) -> None:
        """Show a warning about something that the user should check."""
        self._notify(Message("warning", text))

    def hint(self, text: str) -> None:
        """Show a hint: the current view, or a possible action."""
        self._notify(Message("hint", text))

    def confirm(self, text: str, *buttons: Button) -> None:
        """Show a message that an action outside the window succeeded, such as writing a file."""
        self._notify(Message("success", text, buttons))

    def _notify(self, message: Message) -> None:
        self.messages = self.messages.with_newest(message, time.monotonic())
