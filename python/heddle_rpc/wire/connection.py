"""One process and what is said to it, from its start to its end. A client has a new one after a restart."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..deadlines import Countdown, discard, wait
from ..errors import HeddleError, ProcessExited, ProtocolError, StartFailed, Stopped, exit_reason, stderr_note
from .core import Core
from .framing import Frame
from .hosting import Hosting, Invoke
from .process import Child, spawn


@dataclass
class Ticket:
    """What is known of a prompt while it is under way: the id of its request, and the response once there is one."""

    request: str = ""
    accepted: Optional[Dict[str, Any]] = None


class Connection:
    """Belongs to the loop in which it is made. Nothing in it waits longer than the process lives."""

    def __init__(
        self,
        on_event: Callable[[Frame], None],
        on_protocol_error: Callable[[ProtocolError], None],
        on_end: Callable[[Optional[HeddleError]], None],
        invoke: Invoke,
        max_line_bytes: int,
    ) -> None:
        self._on_end = on_end
        self._core = Core(on_event, on_protocol_error, max_line_bytes)
        self._child = Child(self._core.feed, self._ended)
        self._stopping: Optional["asyncio.Task[Optional[int]]"] = None
        self._closing: List["asyncio.Task[None]"] = []
        self.hosting = Hosting(self._core.encode, self._child.write, invoke)
        self.alive = False

    @property
    def pid(self) -> Optional[int]:
        return self._child.pid

    @property
    def exit_code(self) -> Optional[int]:
        return self._child.exit_code

    @property
    def stderr(self) -> str:
        return self._child.stderr

    @property
    def waiting(self) -> int:
        return self._core.waiting

    def limit_frames(self, max_bytes: int) -> None:
        self._core.max_sent_bytes = max_bytes

    async def open(self, argv: Sequence[str], cwd: Optional[str], env: Optional[Mapping[str, str]]) -> None:
        try:
            await spawn(self._child, argv, cwd, env)
        except BaseException:
            self._child.abandon()
            raise
        self.alive = True
        if self._stopping is not None:
            self._child.close_input()

    def check(self, what: str) -> None:
        """Raises why nothing can be asked any more."""
        self._core.check(what)

    def send(self, frame: Frame) -> None:
        """Sends a frame that has no response."""
        self._child.write(self._core.encode(frame))

    async def request(self, command: str, params: Dict[str, Any], countdown: Countdown) -> Any:
        response = asyncio.get_running_loop().create_future()
        request, data = self._core.open(command, params, response)
        try:
            self._child.write(data)
            return await wait(response, countdown, command)
        finally:
            self._core.close(request)
            discard(response)

    async def prompt(
        self, command: str, params: Dict[str, Any], accept: Countdown, finish: Countdown, ticket: Ticket
    ) -> Tuple[Dict[str, Any], Optional[Frame]]:
        """The response to a prompt and its `prompt_result`, which is absent if the prompt needed no run."""
        loop = asyncio.get_running_loop()
        response, result = loop.create_future(), loop.create_future()
        request, data = self._core.open(command, params, response, result)
        ticket.request = request
        try:
            self._child.write(data)
            accepted = ticket.accepted = await wait(response, accept, command)
            if accepted.get("agentInvoked") is False:
                return accepted, None
            return accepted, await wait(result, finish, command)
        finally:
            self._core.close(request)
            discard(response)
            discard(result)

    def start_failure(self) -> StartFailed:
        """Why the process ended before it was ready. heddle says so in one line of JSON on stderr."""
        code = None
        reason = f"{exit_reason(self.exit_code)} before it was ready{stderr_note(self.stderr)}"
        for line in reversed(self.stderr.split("\n")):
            try:
                error = json.loads(line)["error"]
                code, reason = str(error["code"]), f"heddle did not start: {error['message']}"
                break
            except (ValueError, KeyError, TypeError):
                continue
        return StartFailed(reason, code, self.exit_code, self.stderr)

    async def stop(self) -> Optional[int]:
        """Ends the process. It is carried through even if the caller is cancelled, and may be called again."""
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_task(self._stop(), name="heddle-stop")
        return await asyncio.shield(self._stopping)

    async def _stop(self) -> Optional[int]:
        self._core.fail(Stopped)
        self._finish(None)
        await self.hosting.close()
        code = await self._child.stop()
        if self._closing:
            await asyncio.wait(self._closing)
        return code

    def _ended(self, exit_code: Optional[int]) -> None:
        self._core.end_of_output()
        reason, stderr = exit_reason(exit_code), self.stderr
        self._core.fail(lambda what: ProcessExited(what, reason, exit_code, stderr))
        self._finish(ProcessExited("events", reason, exit_code, stderr))
        self._closing.append(asyncio.get_running_loop().create_task(self.hosting.close(), name="heddle-close"))

    def _finish(self, error: Optional[HeddleError]) -> None:
        if self.alive:
            self.alive = False
            self._on_end(error)
