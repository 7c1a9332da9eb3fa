"""The child process: pipes, its end, and how it is stopped. It belongs to one event loop."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, cast

from ..errors import StartFailed

STDERR_BYTES = 64 * 1024
# After the exit, the rest of the output is in the pipe and comes at once, unless another process holds the pipe open.
DRAIN_SECONDS = 0.5
# heddle promises to end within three seconds after its stdin is closed, and within 0.8 seconds after SIGTERM.
CLOSE_SECONDS = 3.0
TERM_SECONDS = 1.0
KILL_SECONDS = 5.0

_POSIX = os.name == "posix"


class Child(asyncio.SubprocessProtocol):
    """
    One process. `on_end` is called once: when it has exited and its output is read, or when it has closed its
    output and does not exit. `gone` is set when neither the process nor another one that holds its pipes is left.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[Optional[int]], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._on_end = on_end
        self._transport: Optional[asyncio.SubprocessTransport] = None
        self._open: Set[int] = {1, 2}
        self._stderr = bytearray()
        self._ended = False
        self._timers: List[asyncio.TimerHandle] = []
        self.exit_code: Optional[int] = None
        self.pid: Optional[int] = None
        self.gone: "asyncio.Future[None]" = self._loop.create_future()

    @property
    def stderr(self) -> str:
        return self._stderr.decode("utf-8", "replace")

    def write(self, data: bytes) -> None:
        """Never blocks: what the pipe cannot take is kept and written when it can."""
        pipe = self._stdin()
        if pipe is not None and not pipe.is_closing():
            pipe.write(data)

    def close_input(self) -> None:
        pipe = self._stdin()
        if pipe is None:
            return
        if pipe.get_write_buffer_size() == 0:
            pipe.close()
        else:
            pipe.abort()  # `close` would wait until a process that does not read has taken all of it

    async def stop(self) -> Optional[int]:
        """Closes stdin; after three seconds sends SIGTERM; after another second kills the process and its group."""
        self.close_input()
        if not await self._is_gone(CLOSE_SECONDS):
            self._signal(signal.SIGTERM)
            if not await self._is_gone(TERM_SECONDS):
                self.kill()
                await self._is_gone(KILL_SECONDS)
        return self.exit_code

    def kill(self) -> None:
        """Ends the process and whatever it started in its group: a launcher may have passed its pipes on."""
        if _POSIX and self.pid is not None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        if self.exit_code is not None:
            self._close()

    def abandon(self) -> None:
        """The process was not started."""
        self._ended = True
        self._close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self.pid = self._transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            if not self._ended:
                self._on_output(data)
            return
        self._stderr += data
        del self._stderr[:-STDERR_BYTES]

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        self._open.discard(fd)
        if fd == 1 and self.exit_code is None:
            # Without its output it can answer nobody. Usually the exit follows at once.
            self._later(CLOSE_SECONDS, self._end)
        self._check()

    def process_exited(self) -> None:
        transport = self._transport
        self.exit_code = None if transport is None else transport.get_returncode()
        self.close_input()
        self._later(DRAIN_SECONDS, self._end)
        self._later(CLOSE_SECONDS, self.kill)
        self._check()

    def _check(self) -> None:
        if self.exit_code is None or self._open:
            return
        self._end()
        self._close()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._on_end(self.exit_code)

    def _close(self) -> None:
        """The last thing that happens to a process."""
        self._end()
        for timer in self._timers:
            timer.cancel()
        if self._transport is not None:
            self._transport.close()
        if not self.gone.done():
            self.gone.set_result(None)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        self._timers.append(self._loop.call_later(seconds, action))

    def _signal(self, number: int) -> None:
        if self._transport is None or self.pid is None or self.exit_code is not None:
            return
        try:
            if _POSIX:
                # The transport would first look whether the process has ended, and so take its exit code away from
                # asyncio, which then reports 255.
                os.kill(self.pid, number)
            else:
                self._transport.send_signal(number)
        except ProcessLookupError:
            pass

    def _stdin(self) -> Any:
        return None if self._transport is None else self._transport.get_pipe_transport(0)

    async def _is_gone(self, seconds: float) -> bool:
        await asyncio.wait({self.gone}, timeout=seconds)
        return self.gone.done()


async def spawn(child: Child, argv: Sequence[str], cwd: Optional[str], env: Optional[Mapping[str, str]]) -> None:
    """
    Starts the program in a group of its own, so that Ctrl-C reaches only the host. `env` is added to that of the
    host.
    """
    variables: Dict[str, str] = {**os.environ, **(env or {})}
    program = shutil.which(argv[0], path=variables.get("PATH"))
    if program is None:
        raise StartFailed(
            f"cannot start {argv[0]!r}: there is no such program. Install heddle with `npm install -g heddle`, or give "
            'its place with `command`, for example ["node", "path/to/heddle/bin/heddle.js"].'
        )
    try:
        await asyncio.get_running_loop().subprocess_exec(
            lambda: child, program, *argv[1:], cwd=cwd, env=variables, start_new_session=_POSIX
        )
    except OSError as error:
        raise StartFailed(f"cannot start {argv[0]!r} in {cwd or os.getcwd()!r}: {error}") from error
