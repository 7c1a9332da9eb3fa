"""What the tests share: how heddle is started, scripted children that misbehave, and one harness for both clients."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List

from heddle_rpc import AsyncClient, Client, HostTool, PromptOutcome

ROOT = Path(__file__).resolve().parents[2]
NODE = os.environ.get("HEDDLE_TEST_NODE") or shutil.which("node") or "node"
HEDDLE = [NODE, str(ROOT / "bin" / "heddle.js")]

# A test that hangs fails after this time instead.
LIMIT = 20.0

# A child that can speak the protocol, before it does something else.
PRELUDE = """
import json, os, signal, sys, time
def write(data): sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
def send(frame): write(json.dumps(frame).encode() + b"\\n")
def read():
    line = sys.stdin.buffer.readline()
    return json.loads(line) if line else None
def respond(request, data):
    send({"id": request["id"], "type": "response", "command": request["type"], "success": True, "data": data})
send({"type": "ready", "version": "0", "sessionId": "s"})
respond(read(), {"limits": {"maxInboundFrameBytes": 67108864}})
"""


# A child that answers every request with the request.
ECHO = """
for request in iter(read, None):
    respond(request, {"got": request})
"""


def child(code: str, prelude: str = PRELUDE) -> List[str]:
    return [sys.executable, "-c", prelude + code, "--"]


# A turn that never ends.
HANG = [{"text": "I was about to", "cutOff": True}, {"hang": True}]


def call(name: str, **arguments: Any) -> Any:
    """A step of a turn: the model calls a tool."""
    return {"toolCall": {"id": f"call_{name}", "name": name, "arguments": arguments}}


def tool(name: str, execute: Any) -> HostTool:
    return HostTool(name, f"The tool {name}.", {"type": "object", "properties": {"q": {"type": "string"}}}, execute)


def tool_results(outcome: PromptOutcome) -> Dict[str, Any]:
    """The text of each result, and whether it is an error."""
    return {
        event["toolCallId"]: (event["result"]["content"][0]["text"], event["isError"])
        for event in outcome.events
        if event["type"] == "tool_execution_end"
    }


class Threaded:
    """A `Client` whose blocking methods are awaited, so that a test can be written once for both clients."""

    DIRECT = ("on_event", "on_protocol_error", "set_ui_handler")

    def __init__(self, client: Any) -> None:
        self.inner = client

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        if not callable(value) or name in self.DIRECT:
            return value

        async def call(*args: Any, **kwargs: Any) -> Any:
            loop = asyncio.get_running_loop()
            done = loop.create_future()

            def work() -> None:
                try:
                    outcome, result = done.set_result, value(*args, **kwargs)
                except Exception as error:
                    outcome, result = done.set_exception, error
                loop.call_soon_threadsafe(lambda: None if done.done() else outcome(result))

            # Not the executor of the loop: a test that waits in many threads must not wait for a free one.
            threading.Thread(target=work, name="test", daemon=True).start()
            return await done

        return call

    def events(self) -> "Threaded":
        return Threaded(self.inner.events())

    async def __aenter__(self) -> "Threaded":
        await self.start()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.stop()


class Case(unittest.IsolatedAsyncioTestCase):
    """A folder for each test, and the assurance that nothing is left behind."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.check_threads)

    async def asyncTearDown(self) -> None:
        left = [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("heddle-")]
        self.assertEqual(left, [], "tasks are left")

    def check_threads(self) -> None:
        threads = [thread for thread in threading.enumerate() if thread.name.startswith("heddle-")]
        for thread in threads:
            thread.join(LIMIT)  # one that a test has just let go is about to end
        self.assertEqual([thread.name for thread in threads if thread.is_alive()], [], "threads are left")

    def scenario(self, *turns: Any, **more: Any) -> List[str]:
        """The options that make the offline model play these turns: lists of steps."""
        path = self.folder / "scenario.json"
        path.write_text(json.dumps({"turns": [{"steps": steps} for steps in turns], **more}), encoding="utf-8")
        return ["--set", f"offline.scenario={path}"]

    def settings(self, *turns: Any, args: Any = ("--no-session",), **more: Any) -> Dict[str, Any]:
        """The options of a client with the real heddle, far from the settings of whoever runs the tests."""
        return {
            "command": HEDDLE,
            "model": "offline/script",
            "cwd": self.folder,
            "env": {"HOME": str(self.folder), "HEDDLE_AGENT_DIR": str(self.folder / "agent")},
            "args": [*args, *self.scenario(*turns)],
            **more,
        }


class AsyncHarness(Case):
    def client(self, **options: Any) -> Any:
        return AsyncClient(**options)

    def function(self, work: Any) -> Any:
        """A function of the host that may wait: as it is."""
        return work


class SyncHarness(Case):
    def client(self, **options: Any) -> Any:
        return Threaded(Client(**options))

    def function(self, work: Any) -> Any:
        """The same as a function that blocks."""

        def blocking(argument: Any, call: Any) -> Any:
            return asyncio.run(work(argument, call))

        return blocking


async def within(work: Any, seconds: float = LIMIT) -> Any:
    return await asyncio.wait_for(work, seconds)


async def until(condition: Any, seconds: float = LIMIT) -> None:
    """Waits for a condition that nothing announces."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise AssertionError("the condition did not come true")
        await asyncio.sleep(0.005)


def alive_in_group(group: int) -> List[int]:
    """The processes of a group that still run, on Linux. One that has ended and was not waited for does not run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it has just ended
        if int(number) == group and state not in "ZX":
            found.append(int(path.parent.name))
    return found
