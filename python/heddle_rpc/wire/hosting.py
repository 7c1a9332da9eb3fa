"""
What heddle asks of the host on one connection: calls of host tools, and questions. Each is a task until it is
answered.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any, Awaitable, Callable, Dict, Mapping, Optional

from ..dialogs import LATER, QUESTIONS, UiHandler, default_answer, response
from ..errors import HeddleError
from ..tools import HostTool, HostToolCall, output
from .framing import Frame

log = logging.getLogger("heddle_rpc")

# Functions that ignore that they were cancelled are left behind after this time.
CLOSE_SECONDS = 1.0

# Calls a function with a frame or arguments, and with the call or the event that cancels it.
Invoke = Callable[[Callable[..., Any], Any, Any], Awaitable[Any]]


class Hosting:
    """Owns the tasks. `encode` raises `FrameRefused` for what cannot be sent, also outside the thread of the loop."""

    def __init__(self, encode: Callable[[Frame], bytes], write: Callable[[bytes], None], invoke: Invoke) -> None:
        self._loop = asyncio.get_running_loop()
        self._encode = encode
        self._write = write
        self._invoke = invoke
        self._tasks: Dict[str, "asyncio.Task[None]"] = {}
        self._cancelled: Dict[str, threading.Event] = {}
        self._closed = False

    def receive(self, frame: Frame, tools: Mapping[str, HostTool], ui: Optional[UiHandler]) -> None:
        kind = frame["type"]
        if kind == "host_tool_cancel" or (kind == "extension_ui_request" and frame.get("method") == "cancel"):
            self._cancel(str(frame.get("targetId")))
        elif kind == "host_tool_call":
            call = HostToolCall(frame, lambda update: self._post(frame["id"], update))
            self._start(call.id, call.cancelled, self._run_tool(tools.get(call.tool_name), frame, call))
        elif kind == "extension_ui_request" and frame.get("method") in QUESTIONS:
            if ui is None:
                self._write(self._encode(response(frame, default_answer(frame["method"]))))
                return
            cancelled = threading.Event()
            self._start(frame["id"], cancelled, self._ask(ui, frame, cancelled))

    async def close(self) -> None:
        """Cancels everything and waits for it, but not for ever."""
        self._closed = True
        tasks = list(self._tasks.values())
        for request in list(self._tasks):
            self._cancel(request)
        if tasks:
            _, left = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in left:
                log.warning("%s ignores that it was cancelled", task.get_name())

    def _start(self, request: str, cancelled: threading.Event, work: Any) -> None:
        if self._closed:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work, name=f"heddle-host-{request}")
        self._tasks[request] = task
        self._cancelled[request] = cancelled
        task.add_done_callback(lambda done: self._finished(request, done))

    def _finished(self, request: str, task: "asyncio.Task[None]") -> None:
        if self._tasks.get(request) is task:
            self._tasks.pop(request, None)
            self._cancelled.pop(request, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("answering heddle failed", exc_info=task.exception())

    def _cancel(self, request: str) -> None:
        task = self._tasks.pop(request, None)
        cancelled = self._cancelled.pop(request, None)
        if cancelled is not None:
            cancelled.set()
        if task is not None:
            task.cancel()

    def _send_open(self, request: str, data: bytes) -> None:
        """Sends a frame about a call that is not over yet, and drops it otherwise."""
        if request in self._tasks:
            self._write(data)

    def _post(self, request: str, frame: Frame) -> None:
        """The same from any thread."""
        data = self._encode(frame)
        try:
            if asyncio.get_running_loop() is self._loop:
                return self._send_open(request, data)
        except RuntimeError:
            pass  # not in a loop
        try:
            self._loop.call_soon_threadsafe(self._send_open, request, data)
        except RuntimeError:
            pass  # the loop is closed, and with it the call

    async def _run_tool(self, tool: Optional[HostTool], frame: Frame, call: HostToolCall) -> None:
        result: Frame = {"type": "host_tool_result", "id": call.id}
        try:
            if tool is None:
                raise HeddleError(f"the host has no tool {call.tool_name}")
            returned = await self._invoke(tool.execute, frame["arguments"], call)
            self._send_open(call.id, self._encode({**result, "result": output(returned)}))
        except asyncio.CancelledError:
            # heddle did not cancel it: the function did so itself, and the model must not wait for its result.
            if not call.cancelled.is_set():
                self._send_open(call.id, self._failed(result, "the host tool was cancelled by the host"))
            raise
        except Exception as error:
            # The model is told, so that it can do something else. This includes results that are no JSON.
            self._send_open(call.id, self._failed(result, str(error) or type(error).__name__))

    def _failed(self, result: Frame, said: str) -> bytes:
        return self._encode({**result, "result": output(said), "isError": True})

    async def _ask(self, ui: UiHandler, frame: Frame, cancelled: threading.Event) -> None:
        answer = default_answer(frame["method"])
        try:
            answer = await self._invoke(ui, frame, cancelled)
        except Exception:
            log.exception("the handler of questions failed; the question gets its default")
        if answer is not LATER:
            self._send_open(frame["id"], self._encode(response(frame, answer)))
