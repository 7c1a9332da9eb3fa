"""A client for heddle, the coding agent engine: `Client` for threads, `AsyncClient` for asyncio. See docs/python.md."""

from . import fibers
from .aio import AsyncClient
from .client import Client
from .deadlines import DEFAULT, Deadline
from .dialogs import LATER, UiAnswer, UiHandler
from .errors import (
    CommandFailed,
    DeadlineExceeded,
    FrameRefused,
    HeddleError,
    NotRunning,
    ProcessExited,
    ProtocolError,
    StartFailed,
    Stopped,
)
from .events import AsyncEventStream, EventStream
from .outcome import PromptOutcome
from .protocol import Event
from .runs import AsyncRun, Run
from .tools import HostTool, HostToolCall, ToolResult, host_tool
from .version import VERSION as __version__

__all__ = [
    "DEFAULT",
    "LATER",
    "AsyncClient",
    "AsyncEventStream",
    "AsyncRun",
    "Client",
    "CommandFailed",
    "Deadline",
    "DeadlineExceeded",
    "Event",
    "EventStream",
    "FrameRefused",
    "HeddleError",
    "HostTool",
    "HostToolCall",
    "NotRunning",
    "ProcessExited",
    "PromptOutcome",
    "ProtocolError",
    "Run",
    "StartFailed",
    "Stopped",
    "ToolResult",
    "UiAnswer",
    "UiHandler",
    "__version__",
    "fibers",
    "host_tool",
]
