"""How a prompt ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from .protocol import Event, RunFailure, RunMessage
from .wire.framing import Frame


@dataclass(frozen=True)
class PromptOutcome:
    """
    The end of a prompt. `status` is that of its `prompt_result`. `agent_invoked` is False if it needed no run, for
    example because it was a slash command. `messages` are those of the run, `events` everything from the prompt to
    its result.
    """

    status: Literal["completed", "aborted", "error"]
    agent_invoked: bool
    error: Optional[RunFailure]
    messages: List[RunMessage]
    events: List[Event]

    @property
    def text(self) -> Optional[str]:
        """The text of the last assistant message; None if there is none."""
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                return "".join(part["text"] for part in message["content"] if part["type"] == "text")
        return None


def outcome(accepted: Dict[str, Any], result: Optional[Frame], events: List[Event]) -> PromptOutcome:
    if result is None:
        return PromptOutcome("completed", False, None, [], events)
    # Later events may have come before the caller was woken.
    last = next(index for index, event in enumerate(events) if event is result)
    events = events[: last + 1]
    ends = [event["messages"] for event in events if event["type"] == "agent_end"]
    return PromptOutcome(
        result["status"], result.get("agentInvoked", True), result.get("error"), ends[-1] if ends else [], events
    )
