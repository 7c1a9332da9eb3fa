"""
Frames on the wire: one JSON object per line, UTF-8, ended by LF and by nothing else. No input, no output, no clock.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Union

from ..errors import FrameRefused, ProtocolError

Frame = Dict[str, Any]

_BOM = b"\xef\xbb\xbf"


class LineSplitter:
    """Cuts a stream of bytes into lines at LF. Linear in the number of bytes, however they are cut into chunks."""

    def __init__(self, max_line_bytes: int) -> None:
        self._max = max_line_bytes
        self._parts: List[bytes] = []
        self._size = 0
        self._skipping = False
        self._first = True

    def feed(self, data: bytes) -> List[Union[bytes, ProtocolError]]:
        """The lines that this chunk completes, without their ends. A line that is too long is an error in its place."""
        lines: List[Union[bytes, ProtocolError]] = []
        start = 0
        while True:
            end = data.find(b"\n", start)
            if end < 0:
                self._keep(data[start:])
                return lines
            self._keep(data[start:end])
            lines.extend(self.flush())
            start = end + 1

    def flush(self) -> List[Union[bytes, ProtocolError]]:
        """What stands behind the last LF, if it is more than white space."""
        line = b"".join(self._parts)
        skipped, self._skipping = self._skipping, False
        self._parts.clear()
        self._size = 0
        if skipped:
            return [ProtocolError(f"a line of more than {self._max} bytes", line)]
        if self._first and line.startswith(_BOM):
            line = line[len(_BOM) :]
        self._first = False
        return [line] if line.strip(b" \t\r") else []

    def _keep(self, part: bytes) -> None:
        if not part or self._skipping:
            return
        if self._size + len(part) > self._max:
            # The start of the line is enough to recognise it by.
            self._parts = [b"".join(self._parts)[:200] + part[:200]]
            self._skipping = True
            return
        self._parts.append(part)
        self._size += len(part)


def decode(line: bytes) -> Union[Frame, ProtocolError]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return ProtocolError("invalid UTF-8", line)
    except (ValueError, RecursionError) as error:
        return ProtocolError(f"not JSON ({error})", line)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return ProtocolError('not an object with a string "type"', line)
    return value


def encode(frame: Frame) -> bytes:
    """The frame in ASCII, with everything else escaped: no reader can split it anywhere but at its end."""
    try:
        return json.dumps(frame, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise FrameRefused(f"{frame.get('type')}: cannot be sent as JSON: {error}") from error
