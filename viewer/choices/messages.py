"""Messages for the user: of which kind each is, how long it stays on screen, and the log of all."""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["error", "warning", "hint", "success"]

READING = 4.0  # seconds that every message stays on screen
READING_EACH = 0.06  # seconds more for each of its characters
MOST_LOGGED = 200  # messages that the log keeps


@dataclass(frozen=True)
class Message:
    """One line for the user.

    Attributes:
        kind: ``error``: what was asked for was not done; ``warning``: it was done, but the result
            may not be what was expected; ``success``: something outside the window was done, such
            as a file written; ``hint``: all else, such as what is shown now, or what can be done.
    """

    kind: Kind
    text: str

    @property
    def seconds(self) -> float:
        """Compute how long the message takes to be noticed and read."""
        return READING + READING_EACH * len(self.text)


NOTHING = Message("hint", "")
"""No message."""


@dataclass(frozen=True)
class LoggedMessage:
    """A message of the log.

    Attributes:
        at: when it was made, in seconds since the epoch.
    """

    at: float
    message: Message

    @property
    def clock(self) -> str:
        """Write the time of day at which it was made."""
        return time.strftime("%H:%M:%S", time.localtime(self.at))

    def __str__(self) -> str:
        return f"{self.clock}  {self.message.kind:<7}  {self.message.text}"


@dataclass(frozen=True)
class Messages:
    """The messages that the user got: the newest, the one on screen, and a log.

    Times are in seconds, as ``time.monotonic`` counts.

    Attributes:
        newest: the message made last.
        on_screen: the message that is shown, until ``ends``.
        since: from when on.
        ends: infinite for an error: it stays until the user does something.
        log: the newest messages, the oldest first.
    """

    newest: Message = NOTHING
    on_screen: Message = NOTHING
    since: float = 0.0
    ends: float = 0.0
    log: tuple[LoggedMessage, ...] = field(default=(), repr=False)

    def with_newest(self, message: Message, now: float) -> "Messages":
        """Show and log a message; while an error awaits the user, only another error replaces it.

        An empty message, which is not logged, takes any other one off the screen.
        """
        log = self.log
        if message.text:
            log = (*log, LoggedMessage(time.time(), message))[-MOST_LOGGED:]
        if self.ends == math.inf and message.kind != "error":
            return replace(self, newest=message, log=log)
        seconds = math.inf if message.kind == "error" else message.seconds
        return Messages(message, message, now, now + seconds, log)

    def after_action(self, now: float) -> "Messages":
        """Let an error go, as soon as it could be read: the user went on to something else."""
        if self.ends != math.inf:
            return self
        return replace(self, ends=max(now, self.since + self.on_screen.seconds))

    def dismissed(self) -> "Messages":
        """Take the message off the screen."""
        return replace(self, ends=-math.inf)

    def cleared(self) -> "Messages":
        """Empty the log."""
        return replace(self, log=())

    def visible(self, now: float) -> Message:
        """Return the message that is on screen now; ``NOTHING`` if none is."""
        return self.on_screen if now < self.ends else NOTHING


class Notified:
    """Makes messages for the user, one method for each kind; a base of the state."""

    messages: Messages

    @property
    def message(self) -> str:
        """Look up the text of the message made last."""
        return self.messages.newest.text

    def report_error(self, text: str) -> None:
        """Say what could not be done, and why."""
        self._notify(Message("error", text))

    def warn(self, text: str) -> None:
        """Say what the user should check."""
        self._notify(Message("warning", text))

    def hint(self, text: str) -> None:
        """Say what is shown now, or what can be done."""
        self._notify(Message("hint", text))

    def confirm(self, text: str) -> None:
        """Say what was done outside the window, such as a file written."""
        self._notify(Message("success", text))

    def _notify(self, message: Message) -> None:
        self.messages = self.messages.with_newest(message, time.monotonic())
