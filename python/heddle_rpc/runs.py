"""A prompt as the events from its start to the end of its run."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Awaitable, Callable, Coroutine, Dict, Iterator, Literal, Optional, Sequence

from .commands import given
from .errors import CommandFailed, HeddleError, NotRunning
from .events import AsyncEventStream, EventStream
from .outcome import PromptOutcome
from .protocol import Attachment, Event, ImageContent
from .wire.connection import Ticket

StreamingBehavior = Literal["steer", "followUp"]


def prompt_params(
    message: str,
    images: Optional[Sequence[ImageContent]],
    attachments: Optional[Sequence[Attachment]],
    client_message_id: Optional[str],
    streaming_behavior: Optional[StreamingBehavior],
) -> Dict[str, Any]:
    optional = {
        "images": images,
        "attachments": attachments,
        "clientMessageId": client_message_id,
        "streamingBehavior": streaming_behavior,
    }
    return {"message": message, **given(optional)}


class SentPrompt:
    """A prompt that is under way, in the loop of the client."""

    def __init__(
        self,
        ticket: Ticket,
        prompt: Coroutine[Any, Any, PromptOutcome],
        request: Callable[[str, Dict[str, Any]], Awaitable[Any]],
    ) -> None:
        self._ticket = ticket
        self._request = request
        self._task = asyncio.get_running_loop().create_task(prompt, name="heddle-run")
        self._ending: Optional["asyncio.Task[None]"] = None
        self.outcome: Optional[PromptOutcome] = None
        self._task.add_done_callback(self._settle)

    def _settle(self, task: "asyncio.Task[PromptOutcome]") -> None:
        # The exception is fetched here: only those who read the events hear of it.
        if not task.cancelled() and task.exception() is None:
            self.outcome = task.result()

    def when_done(self, callback: Callable[[], None]) -> None:
        self._task.add_done_callback(lambda _: callback())

    def ends_with(self, event: Event) -> bool:
        return event["type"] == "prompt_result" and event.get("id") == self._ticket.request

    async def ended(self) -> None:
        """Raises why there is no outcome."""
        await asyncio.shield(self._task)

    async def end(self) -> None:
        """Ends what is left of the prompt, and returns when that is done. May be called again."""
        if self._ticket.request == "":
            self._task.cancel()  # it is not sent yet
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end(), name="heddle-run-end")
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        if self._task.done():
            return
        try:
            if not await self._withdrawn():
                await self._request("abort", {})
            await asyncio.wait({self._task})
        except HeddleError:
            self._task.cancel()

    async def _withdrawn(self) -> bool:
        """Takes back a prompt that has no run yet. The run of another prompt, which may be going on, is left alone."""
        ticket = self._ticket
        if ticket.accepted is None:
            await self._done("cancel", {"targetId": ticket.request})
        if ticket.accepted is None:
            return True
        if ticket.accepted.get("disposition") != "queued":
            return False
        return await self._done("remove_queued_message", {"messageId": ticket.accepted["messageId"]})

    async def _done(self, command: str, params: Dict[str, Any]) -> bool:
        try:
            await self._request(command, params)
            return True
        except CommandFailed:
            return False


class AsyncRun:
    """
    The events of a prompt up to its `prompt_result`, for one `async for`. A prompt that is refused raises
    `CommandFailed`; a run that fails is an `outcome`. Leaving the loop early ends the run; use `async with` to have that done
    when the next statement runs.
    """

    def __init__(self, events: AsyncEventStream, prompt: SentPrompt) -> None:
        self._events = events
        self._prompt = prompt
        prompt.when_done(lambda: events.end(None))

    @property
    def outcome(self) -> Optional[PromptOutcome]:
        """How the run ended; None before the loop has."""
        return self._prompt.outcome

    async def aclose(self) -> None:
        """Ends the run if it has not ended."""
        self._events.close()
        await self._prompt.end()

    async def __aiter__(self) -> AsyncIterator[Event]:
        try:
            while True:
                event = await self._events.get()
                if event is None:
                    break
                yield event
                if self._prompt.ends_with(event):
                    break
            await self._prompt.ended()
        finally:
            await self.aclose()

    async def __aenter__(self) -> "AsyncRun":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()


class Run:
    """The same for threads."""

    def __init__(
        self, events: EventStream, prompt: SentPrompt, call: Callable[[str, Callable[[], Coroutine[Any, Any, None]]], None]
    ) -> None:
        self._events = events
        self._prompt = prompt
        self._call = call
        prompt.when_done(lambda: events.end(None))

    @property
    def outcome(self) -> Optional[PromptOutcome]:
        """How the run ended; None before the loop has."""
        return self._prompt.outcome

    def close(self) -> None:
        """Ends the run if it has not ended."""
        self._events.close()
        try:
            self._call("run", self._prompt.end)
        except NotRunning:
            pass

    def __iter__(self) -> Iterator[Event]:
        try:
            while True:
                event = self._events.get()
                if event is None:
                    break
                yield event
                if self._prompt.ends_with(event):
                    break
            self._call("run", self._prompt.ended)
        finally:
            self.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
