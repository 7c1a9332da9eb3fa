"""Everything that can go wrong, as exceptions. All of them are `HeddleError`s."""

from __future__ import annotations

import signal
from typing import Any, Optional


class HeddleError(Exception):
    """The base of all exceptions of this package."""


class CommandFailed(HeddleError):
    """heddle refused a command. `code` is for programs, `message` for people."""

    def __init__(self, command: str, code: Optional[str], message: str, data: Any = None) -> None:
        super().__init__(f"{command}: {message}" if code is None else f"{command}: {message} [{code}]")
        self.command = command
        self.code = code
        self.message = message
        self.data = data


class DeadlineExceeded(HeddleError, TimeoutError):
    """The answer did not come in time. The command may still be carried out."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what}: no answer within {seconds:g} s")
        self.what = what
        self.seconds = seconds


class FrameRefused(HeddleError, ValueError):
    """A value cannot be sent: it is no JSON, or larger than heddle accepts."""


class NotRunning(HeddleError):
    """There is no process. Call `start()`, or use the client in a `with` statement."""


class Stopped(NotRunning):
    """`stop()` was called while the answer was outstanding."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: the client was stopped")
        self.what = what


class ProcessExited(NotRunning):
    """The process ended. `stderr` holds the end of what it wrote there."""

    def __init__(self, what: str, reason: str, exit_code: Optional[int], stderr: str) -> None:
        super().__init__(f"{what}: {reason}{stderr_note(stderr)}")
        self.what = what
        self.exit_code = exit_code
        self.stderr = stderr


class StartFailed(HeddleError):
    """The process could not be started, or ended before it was ready."""

    def __init__(
        self, message: str, code: Optional[str] = None, exit_code: Optional[int] = None, stderr: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.exit_code = exit_code
        self.stderr = stderr


class ProtocolError(HeddleError):
    """A line on stdout that is no frame. It is reported to `on_protocol_error` and skipped, never raised."""

    def __init__(self, reason: str, line: bytes) -> None:
        super().__init__(f"{reason}: {line[:200]!r}")
        self.reason = reason
        self.line = line


def stderr_note(stderr: str) -> str:
    """The last lines of stderr, for an error message."""
    tail = stderr.strip()[-2000:]
    return "" if tail == "" else f"\nstderr ends with:\n{tail}"


def exit_reason(exit_code: Optional[int]) -> str:
    if exit_code is None:
        return "heddle closed its output"
    if exit_code >= 0:
        return f"heddle ended with exit code {exit_code}"
    try:
        return f"heddle was ended by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"heddle was ended by signal {-exit_code}"
