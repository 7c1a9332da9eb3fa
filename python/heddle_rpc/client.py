"""
The client for threads: an `AsyncClient` on an event loop in a thread of its own. Host tools and handlers of
questions run in a thread for each call, callbacks of events in one thread, in order.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import queue
import threading
from typing import Any, Callable, Coroutine, Dict, Iterable, List, Optional, Sequence, Set, TypeVar

from .aio import AsyncClient, OnEvent, OnProtocolError
from .commands import Commands
from .deadlines import DEFAULT, Countdown, Deadline
from .dialogs import UiHandler
from .errors import HeddleError, NotRunning, Stopped
from .events import EventStream
from .options import Configured, Options
from .outcome import PromptOutcome
from .protocol import Attachment, Event, ImageContent, InitializeData, SetHostToolsData
from .runs import Run, StreamingBehavior, prompt_params
from .tools import HostTool

log = logging.getLogger("heddle_rpc")

T = TypeVar("T")
Self = TypeVar("Self", bound="Client")

# Threads of the host that do not end by themselves are left behind after this time.
JOIN_SECONDS = 1.0


class Client(Configured, Commands):
    """
    A running heddle. Use it in `with`, or call `start` and `stop`. Its methods may be called from any thread, also
    from host tools and callbacks. Every wait ends with the answer, with the end of the process, with `stop`, or at
    its deadline.
    """

    def _configure(self, tools: Sequence[HostTool], ui: Optional[UiHandler]) -> None:
        self._engine = _Engine(self.options, tools, ui)
        self._lock = threading.RLock()
        self._changing = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._callbacks = _Callbacks()

    # The process

    def start(self, *, session: Optional[str] = None) -> None:
        """
        Starts heddle and registers the host tools. `session`, if given, is the path or the id of a session to open.
        """
        with self._changing:
            self._start(session)

    def stop(self) -> Optional[int]:
        """
        Ends heddle and returns its exit code: closes its stdin, sends SIGTERM after three seconds, and kills it a
        second later. Outstanding calls fail with `Stopped`. May be called at any time, also twice.
        """
        self._halt()
        with self._changing:
            return self._stop()

    def restart(self, *, session: Optional[str] = None) -> None:
        """Stops heddle, if it runs, and starts it again. Host tools and subscriptions stay; see `session_id`."""
        self._halt()
        with self._changing:
            self._stop()
            self._start(session)

    def __enter__(self: Self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        return self._engine.is_running

    @property
    def pid(self) -> Optional[int]:
        return self._engine.pid

    @property
    def exit_code(self) -> Optional[int]:
        """The exit code of the last process; negative if a signal ended it."""
        return self._engine.exit_code

    @property
    def stderr(self) -> str:
        """The last 64 KiB of what the process wrote to stderr."""
        return self._engine.stderr

    @property
    def session_id(self) -> Optional[str]:
        """The session that the last event came from."""
        return self._engine.session_id

    @property
    def server(self) -> Optional[InitializeData]:
        """What heddle said about itself at the start."""
        return self._engine.server

    # Commands

    def request(self, command: str, params: Optional[Dict[str, Any]] = None, *, deadline: Deadline = DEFAULT) -> Any:
        """Sends any command, also one that this version does not know, and returns the `data` of its response."""
        return self._run(command, lambda: self._engine.request(command, params, deadline=deadline))

    def _call(self, command: str, params: Dict[str, Any], deadline: Deadline) -> Any:
        return self._run(command, lambda: self._engine._call(command, params, deadline))

    def prompt_and_wait(
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
        prompt until its turn has come. Callbacks have seen the events of the run when it returns. It raises
        `CommandFailed` if the prompt is refused; a run that fails is an outcome. When the deadline passes, the run
        goes on: `abort` ends it.
        """
        countdown = Countdown(deadline)
        ended = self._run(
            "prompt",
            lambda: self._engine.prompt_and_wait(
                message,
                images=images,
                attachments=attachments,
                client_message_id=client_message_id,
                streaming_behavior=streaming_behavior,
                deadline=deadline,
            ),
        )
        self._callbacks.flush(countdown)
        return ended

    def run(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        attachments: Optional[Sequence[Attachment]] = None,
        client_message_id: Optional[str] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        deadline: Optional[float] = None,
    ) -> Run:
        """
        The same as the events of the prompt: `for event in client.run("…")`. Leaving the loop early ends the run.
        `outcome` says how it ended, once it has.
        """
        params = prompt_params(message, images, attachments, client_message_id, streaming_behavior)

        async def begin() -> Run:
            return Run(self._engine._stream(EventStream), self._engine._sent(params, deadline), self._run)

        return self._run("prompt", begin)

    def wait_for_idle(self, *, deadline: Optional[float] = 60.0) -> None:
        """Waits until the session does nothing and nothing is queued. Returns at once if that is so already."""
        countdown = Countdown(deadline)
        self._run("wait_for_idle", lambda: self._engine.wait_for_idle(deadline=deadline))
        self._callbacks.flush(countdown)

    def collect_events(self, *, deadline: Optional[float] = 60.0) -> List[Event]:
        """The events from now on until the session has settled."""
        return self._run("collect_events", lambda: self._engine.collect_events(deadline=deadline))

    def set_host_tools(self, tools: Sequence[HostTool], *, deadline: Deadline = DEFAULT) -> SetHostToolsData:
        """Registers the functions that the model can call. They replace those of before; `[]` removes all."""
        return self._run("set_host_tools", lambda: self._engine.set_host_tools(tools, deadline=deadline))

    def set_ui_handler(self, handler: Optional[UiHandler]) -> None:
        """Answers questions to the user from now on; without a handler they get their defaults at once."""
        self._engine.set_ui_handler(handler)

    def respond_ui(self, request_id: str, *, value: Optional[str] = None, confirmed: Optional[bool] = None) -> None:
        """Answers a question whose handler returned `LATER`; without a value it is cancelled."""
        self._run("respond_ui", lambda: self._engine.respond_ui(request_id, value=value, confirmed=confirmed))

    # Events

    def on_event(self, callback: OnEvent) -> Callable[[], None]:
        """
        Calls a function with every frame that is not a response, in order, in a thread of the client. Returns a
        function that ends this. The function may call methods of the client; while it does, the next events wait.
        """
        return self._subscribe(self._engine.on_event, callback)

    def on_protocol_error(self, callback: OnProtocolError) -> Callable[[], None]:
        """Calls a function with every line on stdout that is no frame. Without one they are logged."""
        return self._subscribe(self._engine.on_protocol_error, callback)

    def events(self) -> EventStream:
        """The events from this call on, as an iterator."""

        async def make() -> EventStream:
            stream: EventStream = self._engine._stream(EventStream)
            return stream

        return self._run("events", make)

    # Inside

    def _subscribe(
        self, add: Callable[[Callable[[Any], None]], Callable[[], None]], callback: Callable[[Any], None]
    ) -> Callable[[], None]:
        """Queues calls of the callback. Once it is removed, those that are still queued do nothing."""
        removed = threading.Event()
        remove = add(lambda value: self._callbacks.put(lambda: None if removed.is_set() else callback(value)))

        def end() -> None:
            removed.set()
            remove()

        return end

    def _start(self, session: Optional[str]) -> None:
        if self._engine.is_running:
            raise HeddleError("the client is running already: call restart() or stop() first")
        if self._loop is None:
            loop = asyncio.new_event_loop()
            self._callbacks.open()
            self._thread = threading.Thread(target=_serve, args=(loop,), name="heddle-loop", daemon=True)
            self._thread.start()
            self._loop = loop
        try:
            self._run("start", lambda: self._engine.start(session=session))
        except BaseException:
            self._stop()
            raise

    def _halt(self) -> None:
        """Ends the process without the lock: a start that waits for the process in another thread then fails."""
        try:
            self._run("stop", self._engine.stop)
        except NotRunning:
            pass

    def _stop(self) -> Optional[int]:
        if self._loop is None:
            return self._engine.exit_code
        try:
            return self._run("stop", self._engine.stop)
        finally:
            with self._lock:
                loop, self._loop = self._loop, None
            loop.call_soon_threadsafe(loop.stop)
            _join([self._thread])
            _join(self._engine.threads)
            self._engine.threads.clear()
            self._callbacks.close()

    def _run(self, what: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        with self._lock:
            if self._loop is None:
                raise NotRunning(f"{what}: the client is not running: call start(), or use it in a with statement")
            future = asyncio.run_coroutine_threadsafe(make(), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Stopped(what) from None
        finally:
            future.cancel()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """The thread of the loop. Calls that were submitted just before its end are cancelled, so that nobody waits."""
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=JOIN_SECONDS))
    finally:
        loop.close()


def _join(threads: Iterable[Optional[threading.Thread]]) -> None:
    countdown = Countdown(JOIN_SECONDS)
    for thread in list(threads):
        if thread is not None and thread is not threading.current_thread():
            thread.join(countdown.left())


class _Engine(AsyncClient):
    """Runs functions of the host in threads, so that they may block."""

    def __init__(self, options: Options, tools: Sequence[HostTool], ui: Optional[UiHandler]) -> None:
        self.options = options
        self.threads: Set[threading.Thread] = set()
        self._configure(tools, ui)

    async def _invoke(self, function: Callable[..., Any], argument: Any, call: Any) -> Any:
        loop = asyncio.get_running_loop()
        returned: "asyncio.Future[Callable[[], Any]]" = loop.create_future()

        def settle(outcome: Callable[[], Any]) -> None:
            self.threads.discard(thread)
            if not returned.done():
                returned.set_result(outcome)

        def work() -> None:
            outcome = _outcome_of(function, argument, call)
            try:
                loop.call_soon_threadsafe(settle, outcome)
            except RuntimeError:
                pass  # the loop is closed: nobody waits for this

        thread = threading.Thread(target=work, name="heddle-host", daemon=True)
        self.threads.add(thread)
        thread.start()
        return (await returned)()


def _outcome_of(function: Callable[..., Any], argument: Any, call: Any) -> Callable[[], Any]:
    """Calls the function; the outcome returns or raises what it did."""
    try:
        value = function(argument, call)
        if inspect.isawaitable(value):
            getattr(value, "close", lambda: None)()
            raise TypeError(f"{getattr(function, '__name__', 'the function')} is async: use it with AsyncClient")
        return lambda: value
    except Exception as error:
        failure = error
    except BaseException as error:  # SystemExit in a tool is its failure, not ours
        failure = RuntimeError(repr(error))

    def raise_it() -> Any:
        raise failure

    return raise_it


class _Callbacks:
    """A thread that calls callbacks one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: "queue.SimpleQueue[Optional[Callable[[], None]]]" = queue.SimpleQueue()
        self._thread: Optional[threading.Thread] = None
        self._markers: Set[threading.Event] = set()

    def open(self) -> None:
        self._queue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, args=(self._queue,), name="heddle-events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Lets the callbacks see what has come, and ends the thread."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._queue.put(None)
        _join([thread])
        with self._lock:
            for marker in self._markers:
                marker.set()

    def put(self, action: Callable[[], None]) -> None:
        self._queue.put(action)

    def flush(self, countdown: Countdown) -> None:
        """Waits until the callbacks have seen what has come so far; not for ever, and not in a callback."""
        marker = threading.Event()
        with self._lock:
            if self._thread is None or self._thread is threading.current_thread():
                return
            self._markers.add(marker)
            self._queue.put(marker.set)
        marker.wait(countdown.left())
        with self._lock:
            self._markers.discard(marker)

    @staticmethod
    def _serve(queue: "queue.SimpleQueue[Optional[Callable[[], None]]]") -> None:
        while True:
            action = queue.get()
            if action is None:
                return
            try:
                action()
            except Exception:
                log.exception("a callback failed")
