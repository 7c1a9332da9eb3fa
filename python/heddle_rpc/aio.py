"""The client for asyncio."""

from __future__ import annotations

import inspect
import logging
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, cast

from .commands import AsyncCommands, given
from .deadlines import DEFAULT, Countdown, Deadline
from .dialogs import QUESTIONS, UiHandler
from .errors import CommandFailed, DeadlineExceeded, HeddleError, NotRunning, ProcessExited, ProtocolError, Stopped
from .events import AsyncEventStream
from .options import Configured
from .outcome import PromptOutcome, outcome
from .protocol import PROTOCOL_VERSION, Attachment, Event, ImageContent, InitializeData, SetHostToolsData
from .runs import AsyncRun, SentPrompt, StreamingBehavior, prompt_params
from .tools import HostTool
from .version import VERSION
from .wire.connection import Connection, Ticket
from .wire.framing import Frame

log = logging.getLogger("heddle_rpc")

Self = TypeVar("Self", bound="AsyncClient")
OnEvent = Callable[[Event], None]
OnProtocolError = Callable[[ProtocolError], None]
OnEnd = Callable[[Optional[HeddleError]], None]


class AsyncClient(Configured, AsyncCommands):
    """
    A running heddle. Use it in `async with`, or call `start` and `stop`. It belongs to the event loop that started
    it. Every wait ends with the answer, with the end of the process, with `stop`, or at its deadline.
    """

    def _configure(self, tools: Sequence[HostTool], ui: Optional[UiHandler]) -> None:
        self._tools: Dict[str, HostTool] = {tool.name: tool for tool in tools}
        self._ui = ui
        self._connection: Optional[Connection] = None
        # Replaced, never changed: other threads may add to them.
        self._lock = threading.Lock()
        self._on_event: Tuple[OnEvent, ...] = ()
        self._on_protocol_error: Tuple[OnProtocolError, ...] = ()
        self._on_end: Tuple[OnEnd, ...] = ()
        self._session_id: Optional[str] = None
        self._server: Optional[InitializeData] = None

    # The process

    async def start(self, *, session: Optional[str] = None) -> None:
        """
        Starts heddle and registers the host tools. `session`, if given, is the path or the id of a session to open.
        """
        if self._connection is not None:
            if self._connection.alive:
                raise HeddleError("the client is running already: call restart() or stop() first")
            await self._connection.stop()
        countdown = Countdown(self.options.start_deadline)
        connection = Connection(
            lambda frame: self._receive(connection, frame),
            self._report,
            self._finished,
            self._invoke,
            self.options.max_frame_bytes,
        )
        self._server = None
        cwd = None if self.options.cwd is None else os.fspath(self.options.cwd)
        self._connection = connection
        try:
            await connection.open(self.options.argv(session), cwd, self.options.env)
            await self._greet(connection, countdown)
        except BaseException as error:
            await connection.stop()
            if isinstance(error, ProcessExited):
                raise connection.start_failure() from None
            if isinstance(error, DeadlineExceeded):
                raise DeadlineExceeded("start", countdown.seconds or 0.0) from None
            raise

    async def stop(self) -> Optional[int]:
        """
        Ends heddle and returns its exit code: closes its stdin, sends SIGTERM after three seconds, and kills it a
        second later. Outstanding calls fail with `Stopped`. May be called at any time, also twice.
        """
        connection = self._connection
        return None if connection is None else await connection.stop()

    async def restart(self, *, session: Optional[str] = None) -> None:
        """Stops heddle, if it runs, and starts it again. Host tools and subscriptions stay; see `session_id`."""
        await self.stop()
        await self.start(session=session)

    async def __aenter__(self: Self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.stop()

    @property
    def is_running(self) -> bool:
        return self._connection is not None and self._connection.alive

    @property
    def pid(self) -> Optional[int]:
        return None if self._connection is None else self._connection.pid

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of the last process; negative if a signal ended it."""
        return None if self._connection is None else self._connection.exit_code

    @property
    def stderr(self) -> str:
        """The last 64 KiB of what the process wrote to stderr."""
        return "" if self._connection is None else self._connection.stderr

    @property
    def session_id(self) -> Optional[str]:
        """The session that the last event came from."""
        return self._session_id

    @property
    def server(self) -> Optional[InitializeData]:
        """What heddle said about itself at the start."""
        return self._server

    # Commands

    async def request(
        self, command: str, params: Optional[Dict[str, Any]] = None, *, deadline: Deadline = DEFAULT
    ) -> Any:
        """Sends any command, also one that this version does not know, and returns the `data` of its response."""
        return await self._call(command, params or {}, deadline)

    async def _call(self, command: str, params: Dict[str, Any], deadline: Deadline) -> Any:
        countdown = Countdown(self.options.deadline_of(command, deadline))
        return await self._running(command).request(command, params, countdown)

    async def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        attachments: Optional[Sequence[Attachment]] = None,
        client_message_id: Optional[str] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        deadline: Optional[float] = None,
    ) -> PromptOutcome:
        """
        Sends a prompt and waits for its `prompt_result`: through tools, retries and compactions, and for a queued
        prompt until its turn has come. It raises `CommandFailed` if the prompt is refused; a run that fails is an
        outcome. When the deadline passes, or the task is cancelled, the run goes on: `abort` ends it.
        """
        params = prompt_params(message, images, attachments, client_message_id, streaming_behavior)
        return await self._prompt(params, deadline, Ticket())

    def run(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        attachments: Optional[Sequence[Attachment]] = None,
        client_message_id: Optional[str] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        deadline: Optional[float] = None,
    ) -> AsyncRun:
        """
        The same as the events of the prompt: `async for event in client.run("…")`. Leaving the loop early ends the
        run. `outcome` says how it ended, once it has.
        """
        params = prompt_params(message, images, attachments, client_message_id, streaming_behavior)
        return AsyncRun(self.events(), self._sent(params, deadline))

    def _sent(self, params: Dict[str, Any], deadline: Optional[float]) -> SentPrompt:
        ticket = Ticket()
        return SentPrompt(ticket, self._prompt(params, deadline, ticket), self.request)

    async def _prompt(self, params: Dict[str, Any], deadline: Optional[float], ticket: Ticket) -> PromptOutcome:
        finish = Countdown(deadline)
        limits = [each for each in (deadline, self.options.request_deadline) if each is not None]
        accept = Countdown(min(limits) if limits else None)
        events: List[Event] = []
        remove = self.on_event(events.append)
        try:
            connection = self._running("prompt")
            accepted, result = await connection.prompt("prompt", params, accept, finish, ticket)
        finally:
            remove()
        return outcome(accepted, result, events)

    async def wait_for_idle(self, *, deadline: Optional[float] = 60.0) -> None:
        """Waits until the session does nothing and nothing is queued. Returns at once if that is so already."""
        countdown = Countdown(deadline)
        async with self.events() as events:
            state = await self._running("wait_for_idle").request("get_state", {}, countdown)
            if not state["isSettled"]:
                await _until_settled(events, countdown, "wait_for_idle", [])

    async def collect_events(self, *, deadline: Optional[float] = 60.0) -> List[Event]:
        """The events from now on until the session has settled."""
        collected: List[Event] = []
        async with self.events() as events:
            await _until_settled(events, Countdown(deadline), "collect_events", collected)
        return collected

    async def set_host_tools(self, tools: Sequence[HostTool], *, deadline: Deadline = DEFAULT) -> SetHostToolsData:
        """Registers the functions that the model can call. They replace those of before; `[]` removes all."""
        before, after = self._tools, {tool.name: tool for tool in tools}
        # heddle may call a new tool before this method returns.
        self._tools = {**before, **after}
        try:
            data = await self._call("set_host_tools", {"tools": [tool.definition for tool in tools]}, deadline)
        except CommandFailed:
            self._tools = before
            raise
        self._tools = after
        return cast(SetHostToolsData, data)

    def set_ui_handler(self, handler: Optional[UiHandler]) -> None:
        """Answers questions to the user from now on; without a handler they get their defaults at once."""
        self._ui = handler

    async def respond_ui(
        self, request_id: str, *, value: Optional[str] = None, confirmed: Optional[bool] = None
    ) -> None:
        """Answers a question whose handler returned `LATER`; without a value it is cancelled."""
        frame: Frame = {"type": "extension_ui_response", "id": request_id}
        answer = given({"value": value, "confirmed": confirmed}) or {"cancelled": True}
        self._running("respond_ui").send({**frame, **answer})

    # Events

    def on_event(self, callback: OnEvent) -> Callable[[], None]:
        """
        Calls a function with every frame that is not a response, in order. Returns a function that ends this. The
        function must not block; it is called before the call returns that the event belongs to.
        """
        return self._add("_on_event", callback)

    def on_protocol_error(self, callback: OnProtocolError) -> Callable[[], None]:
        """Calls a function with every line on stdout that is no frame. Without one they are logged."""
        return self._add("_on_protocol_error", callback)

    def events(self) -> AsyncEventStream:
        """The events from this call on, as an async iterator."""
        return cast(AsyncEventStream, self._stream(AsyncEventStream))

    # Inside

    async def _greet(self, connection: Connection, countdown: Countdown) -> None:
        """`initialize` is answered after `ready`. Tools are registered before the first command of the host."""
        capabilities = {"messageUpdates": "delta", "ui": list(QUESTIONS)}
        params = {
            "protocolVersion": PROTOCOL_VERSION,
            "clientInfo": {"name": "heddle-rpc (Python)", "version": VERSION},
            "capabilities": capabilities,
        }
        server = cast(InitializeData, await connection.request("initialize", params, countdown))
        self._server = server
        connection.limit_frames(server["limits"]["maxInboundFrameBytes"])
        if self._tools:
            definitions = [tool.definition for tool in self._tools.values()]
            await connection.request("set_host_tools", {"tools": definitions}, countdown)

    def _running(self, what: str) -> Connection:
        if self._connection is None:
            raise NotRunning(f"{what}: the client was not started: call start(), or use it in a with statement")
        self._connection.check(what)
        return self._connection

    async def _invoke(self, function: Callable[..., Any], argument: Any, call: Any) -> Any:
        answer = function(argument, call)
        return await answer if inspect.isawaitable(answer) else answer

    def _receive(self, connection: Connection, frame: Frame) -> None:
        self._session_id = frame.get("sessionId", self._session_id)
        for callback in self._on_event:
            try:
                callback(cast(Event, frame))
            except Exception:
                log.exception("a callback of on_event failed")
        try:
            connection.hosting.receive(frame, self._tools, self._ui)
        except (KeyError, TypeError, ValueError) as error:
            self._report(ProtocolError(f"a frame with wrong members ({error!r})", repr(frame).encode()))

    def _report(self, error: ProtocolError) -> None:
        for callback in self._on_protocol_error:
            try:
                callback(error)
            except Exception:
                log.exception("a callback of on_protocol_error failed")
        if not self._on_protocol_error:
            log.warning("heddle wrote a line that is no frame: %s", error)

    def _finished(self, error: Optional[HeddleError]) -> None:
        for callback in self._on_end:
            callback(error)

    def _add(self, name: str, callback: Callable[..., Any]) -> Callable[[], None]:
        with self._lock:
            setattr(self, name, (*getattr(self, name), callback))

        def remove() -> None:
            with self._lock:
                setattr(self, name, tuple(each for each in getattr(self, name) if each is not callback))

        return remove

    def _stream(self, make: Callable[[Callable[[], None]], Any]) -> Any:
        self._running("events")
        removals: List[Callable[[], None]] = []

        def close() -> None:
            for remove in removals:
                remove()

        stream = make(close)
        removals.append(self._add("_on_event", stream.put))
        removals.append(self._add("_on_end", stream.end))
        return stream


async def _until_settled(events: AsyncEventStream, countdown: Countdown, what: str, collected: List[Event]) -> None:
    while True:
        event = await events.next(countdown, what)
        if event is None:
            raise Stopped(what)
        collected.append(event)
        if event["type"] == "session_settled":
            return
