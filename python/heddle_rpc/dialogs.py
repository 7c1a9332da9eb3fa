"""Questions to the user: what a handler gets and how its answer is sent."""

from __future__ import annotations

import threading
from typing import Awaitable, Callable, Tuple, Union

from .protocol import ExtensionUiRequestEvent
from .wire.framing import Frame

# The methods that want an answer. The others only show something.
QUESTIONS: Tuple[str, ...] = ("select", "confirm", "input", "editor")


class _Later:
    def __repr__(self) -> str:
        return "LATER"


# A handler returns this to answer with `respond_ui` at another time.
LATER = _Later()

UiAnswer = Union[str, bool, None, _Later]
# The event is set when heddle withdraws the question; its answer is then not sent.
UiHandler = Callable[[ExtensionUiRequestEvent, threading.Event], Union[UiAnswer, Awaitable[UiAnswer]]]


def default_answer(method: str) -> UiAnswer:
    """What a question gets that nobody answers: no to `confirm`, nothing to the others."""
    return False if method == "confirm" else None


def response(request: Frame, answer: UiAnswer) -> Frame:
    """The frame for an answer. An answer of the wrong kind counts as cancelled, as in heddle itself."""
    frame: Frame = {"type": "extension_ui_response", "id": request["id"]}
    if request["method"] == "confirm" and isinstance(answer, bool):
        return {**frame, "confirmed": answer}
    if request["method"] != "confirm" and isinstance(answer, str):
        return {**frame, "value": answer}
    return {**frame, "cancelled": True}
