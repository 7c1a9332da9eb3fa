"""How long to wait. A deadline is a number of seconds, `None` for no limit, or `DEFAULT` for that of the client."""

from __future__ import annotations

import asyncio
import enum
import time
from typing import Any, Optional, Union

from .errors import DeadlineExceeded


class _Default(enum.Enum):
    DEFAULT = "default"

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT = _Default.DEFAULT
Deadline = Union[float, None, _Default]

# These take as long as the work takes.
WITHOUT_DEFAULT = frozenset({"bash", "compact", "export_html", "navigate_tree"})


class Countdown:
    """The time that is left of a deadline that covers several steps."""

    def __init__(self, seconds: Optional[float]) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> Optional[float]:
        return None if self._end is None else max(0.0, self._end - time.monotonic())


async def wait(future: "asyncio.Future[Any]", countdown: Countdown, what: str) -> Any:
    """The result of the future, or `DeadlineExceeded`. The future is left alone when the deadline passes."""
    done, _ = await asyncio.wait({future}, timeout=countdown.left())
    if not done:
        raise DeadlineExceeded(what, countdown.seconds or 0.0)
    return future.result()


def discard(future: "asyncio.Future[Any]") -> None:
    """Nobody waits for this future any more: asyncio must not complain about an exception that nobody fetched."""
    if not future.cancel() and not future.cancelled():
        future.exception()
