"""Events in the order in which they came, for one reader. The stream ends with the process."""

from __future__ import annotations

import asyncio
import collections
import queue
from typing import Any, Callable, Deque, Optional

from .deadlines import Countdown, wait
from .errors import DeadlineExceeded, HeddleError
from .protocol import Event

_END = object()


class AsyncEventStream:
    """
    An async iterator. Events are kept until they are read. The iteration ends when the client is stopped, and raises
    `ProcessExited` if the process ended by itself. Close it, or use it in `async with`, when you stop reading early.
    """

    def __init__(self, close: Callable[[], None]) -> None:
        self._items: Deque[Any] = collections.deque()
        self._reader: Optional["asyncio.Future[None]"] = None
        self._error: Optional[HeddleError] = None
        self._close = close

    def put(self, frame: Any) -> None:
        self._items.append(frame)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def end(self, error: Optional[HeddleError]) -> None:
        self._error = error
        self.put(_END)

    async def get(self, *, deadline: Optional[float] = None) -> Optional[Event]:
        """The next event; None when the client was stopped."""
        return await self.next(Countdown(deadline), "events")

    async def next(self, countdown: Countdown, what: str) -> Optional[Event]:
        if not self._items:
            if self._reader is not None and not self._reader.done():
                raise RuntimeError("this stream has a reader already: call events() again for another stream")
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await wait(self._reader, countdown, what)
            finally:
                self._reader.cancel()
        return _taken(self._items.popleft(), self)

    def close(self) -> None:
        self._close()
        self.end(None)

    def __aiter__(self) -> "AsyncEventStream":
        return self

    async def __anext__(self) -> Event:
        event = await self.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()


class EventStream:
    """The same for threads."""

    def __init__(self, close: Callable[[], None]) -> None:
        self._items: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._error: Optional[HeddleError] = None
        self._close = close

    def put(self, frame: Any) -> None:
        self._items.put(frame)

    def end(self, error: Optional[HeddleError]) -> None:
        self._error = error
        self.put(_END)

    def get(self, *, deadline: Optional[float] = None) -> Optional[Event]:
        """The next event; None when the client was stopped."""
        try:
            return _taken(self._items.get(timeout=deadline), self)
        except queue.Empty:
            raise DeadlineExceeded("events", deadline or 0.0) from None

    def close(self) -> None:
        self._close()
        self.end(None)

    def __iter__(self) -> "EventStream":
        return self

    def __next__(self) -> Event:
        event = self.get()
        if event is None:
            raise StopIteration
        return event

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _taken(item: Any, stream: Any) -> Optional[Event]:
    if item is not _END:
        frame: Event = item
        return frame
    stream.put(_END)  # whoever reads on finds the end again
    if stream._error is not None:
        raise stream._error
    return None
