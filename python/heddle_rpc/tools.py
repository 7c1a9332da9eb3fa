"""Host tools: functions of this program that the model can call."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Dict, Optional, Union

from .errors import FrameRefused
from .protocol import HostToolDefinition, HostToolOutput
from .wire.framing import Frame

ToolResult = Union[str, HostToolOutput]
SendUpdate = Callable[[ToolResult], None]


class HostToolCall:
    """
    One call of a host tool. `cancelled` is set when heddle withdraws the call or the process ends; from then on
    nothing is sent. Tools of an `AsyncClient` are also cancelled as tasks.
    """

    def __init__(self, frame: Frame, send: Callable[[Frame], None]) -> None:
        self.id: str = frame["id"]
        self.tool_call_id: str = frame["toolCallId"]
        self.tool_name: str = frame["toolName"]
        self.session_id: Optional[str] = frame.get("sessionId")
        self.cancelled = threading.Event()
        self._send = send

    def update(self, partial: ToolResult) -> None:
        """Shows progress: all output so far, not only what is new. Does nothing once the call is over."""
        self._send({"type": "host_tool_update", "id": self.id, "partialResult": output(partial)})


Execute = Callable[[Dict[str, Any], HostToolCall], Union[ToolResult, Awaitable[ToolResult]]]


@dataclass(frozen=True)
class HostTool:
    """
    A tool and the function that runs it. `parameters` is a JSON Schema; heddle sends only arguments that match it.
    A string is the text for the model; an exception is its error.
    """

    name: str
    description: str
    parameters: Dict[str, Any]
    execute: Execute
    label: Optional[str] = None
    hidden: Optional[bool] = None
    timeout_ms: Optional[float] = None

    @property
    def definition(self) -> HostToolDefinition:
        definition: HostToolDefinition = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        if self.label is not None:
            definition["label"] = self.label
        if self.hidden is not None:
            definition["hidden"] = self.hidden
        if self.timeout_ms is not None:
            definition["timeoutMs"] = self.timeout_ms
        return definition


def host_tool(
    description: str,
    parameters: Dict[str, Any],
    *,
    name: Optional[str] = None,
    label: Optional[str] = None,
    hidden: Optional[bool] = None,
    timeout_ms: Optional[float] = None,
) -> Callable[[Execute], HostTool]:
    """Makes a host tool of a function, under the name of the function unless another is given."""

    def make(execute: Execute) -> HostTool:
        chosen = getattr(execute, "__name__", "") if name is None else name
        return HostTool(str(chosen), description, parameters, execute, label, hidden, timeout_ms)

    return make


def output(result: Any) -> HostToolOutput:
    """What a function returned, in the form of the protocol."""
    if isinstance(result, str):
        return {"content": [{"type": "text", "text": result}]}
    if isinstance(result, dict) and isinstance(result.get("content"), list):
        return result  # type: ignore[return-value]
    raise FrameRefused(f'a host tool must return a string or a dict with a list "content", not {type(result).__name__}')
