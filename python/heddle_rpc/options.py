"""How heddle is started, and the deadlines of a client: the same for both clients."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import List, Mapping, Optional, Sequence, Union

from .deadlines import DEFAULT, WITHOUT_DEFAULT, Deadline
from .dialogs import UiHandler
from .tools import HostTool
from .wire.core import DEFAULT_MAX_LINE_BYTES

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Options:
    command: Sequence[str]
    args: Sequence[str]
    cwd: Optional[Path]
    env: Optional[Mapping[str, str]]
    provider: Optional[str]
    model: Optional[str]
    session_dir: Optional[Path]
    request_deadline: Optional[float]
    start_deadline: Optional[float]
    max_frame_bytes: int

    def argv(self, session: Optional[str]) -> List[str]:
        named = {
            "--provider": self.provider,
            "--model": self.model,
            "--session-dir": None if self.session_dir is None else os.fspath(self.session_dir),
            "--session": session,
        }
        given = [part for name, value in named.items() if value is not None for part in (name, value)]
        return [*self.command, "--mode", "rpc", *given, *self.args]

    def deadline_of(self, command: str, deadline: Deadline) -> Optional[float]:
        if deadline is not DEFAULT:
            return deadline
        return None if command in WITHOUT_DEFAULT else self.request_deadline


class Configured:
    """The constructor of both clients."""

    def __init__(
        self,
        command: Sequence[str] = ("heddle",),
        *,
        args: Sequence[str] = (),
        cwd: Optional[Path] = None,
        env: Optional[Mapping[str, str]] = None,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        session_dir: Optional[Path] = None,
        tools: Sequence[HostTool] = (),
        ui: Optional[UiHandler] = None,
        request_deadline: Optional[float] = 30.0,
        start_deadline: Optional[float] = 30.0,
        max_frame_bytes: int = DEFAULT_MAX_LINE_BYTES,
    ) -> None:
        """
        `command` and `args` start heddle, in the folder `cwd`, with `env` added to the environment of this process.
        `tools` are the host tools. `ui` answers the questions to the user; without it they get their defaults.
        `request_deadline` holds for every command that is not given a deadline of its own, except those that take
        as long as their work: bash, compact, export_html and navigate_tree.
        """
        if isinstance(command, str):
            raise TypeError('command is a list of words, for example ["heddle"]')
        self.options = Options(
            tuple(command),
            tuple(args),
            cwd,
            env,
            provider,
            model,
            session_dir,
            request_deadline,
            start_deadline,
            max_frame_bytes,
        )
        self._configure(tuple(tools), ui)

    def _configure(self, tools: Sequence[HostTool], ui: Optional[UiHandler]) -> None:
        raise NotImplementedError
