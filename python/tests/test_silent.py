"""Processes that do not answer, read or end. Every wait ends: at the exit, with stop, or at its deadline."""

import asyncio
import os
import signal
import time
import unittest

from heddle_rpc import DeadlineExceeded, NotRunning, ProcessExited, Stopped

from .support import ECHO, AsyncHarness, SyncHarness, alive_in_group, child, until, within


class Silent:
    async def test_a_child_that_never_answers_does_not_start(self):
        client = self.client(command=child("sys.stdin.read()", "import sys\n"), start_deadline=0.3)
        with self.assertRaises(DeadlineExceeded) as late:
            await within(client.start())
        self.assertEqual((late.exception.what, late.exception.seconds), ("start", 0.3))
        self.assertFalse(client.is_running)

    async def test_a_start_without_a_deadline_ends_with_stop(self):
        client = self.client(command=child("sys.stdin.read()", "import sys\n"), start_deadline=None)
        starting = asyncio.ensure_future(client.start())
        await until(lambda: client.pid is not None)
        await within(client.stop())
        with self.assertRaises(Stopped):
            await within(starting)
        self.assertFalse(client.is_running)

    async def test_a_child_that_falls_silent_answers_at_the_deadline_and_can_be_stopped(self):
        async with self.client(command=child("sys.stdin.read()"), request_deadline=0.2) as client:
            for work in (client.get_state(), client.prompt("hi"), client.prompt_and_wait("hi")):
                with self.assertRaises(DeadlineExceeded):
                    await within(work)
            waiting = asyncio.ensure_future(client.compact())  # has no deadline of its own
            with self.assertRaises(DeadlineExceeded):
                await within(client.ping())
            self.assertFalse(waiting.done())
            await within(client.stop())
            with self.assertRaises(Stopped):
                await within(waiting)

    async def test_a_child_that_does_not_read(self):
        code = "signal.pause()"
        async with self.client(command=child(code), request_deadline=0.2) as client:
            with self.assertRaises(DeadlineExceeded):
                await within(client.prompt("x" * 5_000_000))
            waiting = asyncio.ensure_future(client.request("ping", {"x": "y" * 1_000_000}, deadline=None))
            self.assertIsNotNone(await within(client.stop()))
            with self.assertRaises(NotRunning):
                await within(waiting)


class Stubborn:
    async def test_only_sigkill_ends_a_child_that_was_suspended(self):
        async with self.client(command=child(ECHO), request_deadline=0.2) as client:
            os.kill(client.pid, signal.SIGSTOP)
            with self.assertRaises(DeadlineExceeded):
                await within(client.get_state())
            self.assertEqual(await within(client.stop()), -signal.SIGKILL)

    async def test_stop_ends_a_child_that_ignores_everything_with_all_that_it_started(self):
        code = """
import subprocess
signal.signal(signal.SIGTERM, lambda *_: write(b'{"type":"asked_to_end"}\\n'))
subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
send({"type": "started"})
while True:
    signal.pause()
"""
        seen = []
        async with self.client(command=child(code)) as client:
            client.on_event(lambda event: seen.append(event["type"]))
            group = client.pid
            await until(lambda: len(alive_in_group(group)) == 2)
            began = time.monotonic()
            self.assertEqual(await within(client.stop()), -signal.SIGKILL)
            self.assertGreater(time.monotonic() - began, 3.9)
            await until(lambda: not alive_in_group(group))
        self.assertIn("asked_to_end", seen)

    async def test_a_child_that_closes_its_output_and_lives_on(self):
        code = "read(); os.close(1); signal.pause()"
        async with self.client(command=child(code), request_deadline=None) as client:
            with self.assertRaisesRegex(ProcessExited, "closed its output"):
                await within(client.get_state())
            self.assertFalse(client.is_running)
            await within(client.stop())


class AsyncStubborn(Stubborn, AsyncHarness): ...


class SyncStubborn(Stubborn, SyncHarness): ...


class AsyncSilent(Silent, AsyncHarness): ...


class SyncSilent(Silent, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
