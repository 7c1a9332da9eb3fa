"""
The protocol without input or output: bytes go in, answers and events come out. It matches responses with requests, and
prompts with their `prompt_result`. Whoever waits for an answer puts a future into it: any object with the methods of
`asyncio.Future` or `concurrent.futures.Future` will do.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Protocol, Tuple

from ..errors import CommandFailed, FrameRefused, HeddleError, ProtocolError
from .framing import Frame, LineSplitter, decode, encode

DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024


class Slot(Protocol):
    """Where an answer goes."""

    def done(self) -> bool: ...

    def set_result(self, result: Any) -> None: ...

    def set_exception(self, exception: Any) -> None: ...


class _Pending(NamedTuple):
    what: str
    slot: Slot


class Core:
    """
    The state of one connection. `on_event` gets every frame that is not a response, in order and before the answer
    that it carries; `on_protocol_error` gets lines that are no frames.
    """

    def __init__(
        self,
        on_event: Callable[[Frame], None],
        on_protocol_error: Callable[[ProtocolError], None],
        max_line_bytes: int = DEFAULT_MAX_LINE_BYTES,
    ) -> None:
        self._on_event = on_event
        self._on_protocol_error = on_protocol_error
        self._lines = LineSplitter(max_line_bytes)
        self._responses: Dict[str, _Pending] = {}
        self._results: Dict[str, _Pending] = {}
        self._count = 0
        self._ended: Optional[Callable[[str], HeddleError]] = None
        self.max_sent_bytes: Optional[int] = None

    @property
    def waiting(self) -> int:
        """How many answers are outstanding."""
        return len(self._responses) + len(self._results)

    def open(
        self, command: str, params: Dict[str, Any], response: Slot, result: Optional[Slot] = None
    ) -> Tuple[str, bytes]:
        """
        The id of a new request and the bytes to send. `response` gets its response; `result`, if given, the
        `prompt_result` of the prompt.
        """
        self.check(command)
        self._count += 1
        request = f"req_{self._count}"
        data = self.encode({**params, "id": request, "type": command})
        self._responses[request] = _Pending(command, response)
        if result is not None:
            self._results[request] = _Pending(command, result)
        return request, data

    def check(self, what: str) -> None:
        """Raises the error of `fail`, if it was called."""
        if self._ended is not None:
            raise self._ended(what)

    def close(self, request: str) -> None:
        """Nobody waits for this request any more. Its late answer is ignored."""
        self._responses.pop(request, None)
        self._results.pop(request, None)

    def encode(self, frame: Frame) -> bytes:
        data = encode(frame)
        if self.max_sent_bytes is not None and len(data) > self.max_sent_bytes:
            raise FrameRefused(
                f"{frame['type']}: {len(data)} bytes; heddle takes at most {self.max_sent_bytes} per frame"
            )
        return data

    def feed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._take(line if isinstance(line, ProtocolError) else decode(line))

    def end_of_output(self) -> None:
        """The process has closed its output: a last line without LF counts if it is a whole frame."""
        for line in self._lines.flush():
            self._take(line if isinstance(line, ProtocolError) else decode(line))

    def fail(self, error: Callable[[str], HeddleError]) -> None:
        """Every outstanding answer, and every request from now on, fails with an error made for it."""
        if self._ended is None:
            self._ended = error
        pending = [*self._responses.values(), *self._results.values()]
        self._responses.clear()
        self._results.clear()
        for each in pending:
            _fail(each.slot, error(each.what))

    def _take(self, frame: Any) -> None:
        if isinstance(frame, ProtocolError):
            self._on_protocol_error(frame)
        elif frame["type"] == "response":
            self._respond(frame)
        else:
            self._on_event(frame)
            if frame["type"] == "prompt_result":
                waiting = self._results.pop(str(frame.get("id")), None)
                if waiting is not None:
                    _settle(waiting.slot, frame)

    def _respond(self, frame: Frame) -> None:
        # Where heddle did not understand the frame, the id of the request stands in `requestId`.
        request = str(frame.get("id", frame.get("requestId")))
        pending = self._responses.pop(request, None)
        if frame.get("success") is True:
            if pending is not None:
                _settle(pending.slot, frame.get("data", {}))
            return
        result = self._results.pop(request, None)
        for each in (pending, result):
            if each is not None:
                _fail(each.slot, _failure(frame))
        if "id" not in frame and pending is None:
            self._on_protocol_error(ProtocolError(f"heddle could not use a frame ({frame.get('error')})", b""))


def _failure(frame: Frame) -> CommandFailed:
    code = frame.get("code")
    return CommandFailed(
        str(frame.get("command")),
        code if isinstance(code, str) else None,
        str(frame.get("error", "failed without a reason")),
        frame.get("data"),
    )


def _settle(slot: Slot, value: Any) -> None:
    if not slot.done():
        slot.set_result(value)


def _fail(slot: Slot, error: HeddleError) -> None:
    if not slot.done():
        slot.set_exception(error)
