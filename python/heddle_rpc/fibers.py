"""Looks for parts of what `get_fibers` returns, which is a tree. The `id` of a part is a target of `cancel`."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, cast

from .protocol import FiberNode


def walk(tree: Mapping[str, Any]) -> Iterator[FiberNode]:
    """Every part of the answer, or of one part with all that runs below it; each before those below it."""
    if "fibers" not in tree:
        yield cast(FiberNode, tree)
    for part in tree["fibers"] if "fibers" in tree else tree["children"]:
        yield from walk(part)


def find(tree: Mapping[str, Any], fits: Callable[[FiberNode], bool]) -> Optional[FiberNode]:
    """The first part that fits, for example `lambda part: part["kind"] == "tool_call"`; None if there is none."""
    return next((part for part in walk(tree) if fits(part)), None)
