"""Refused commands, deadlines, crashes, restarts and stops of both clients, with the real heddle."""

import asyncio
import os
import signal
import unittest

from heddle_rpc import (
    CommandFailed,
    DeadlineExceeded,
    FrameRefused,
    HeddleError,
    NotRunning,
    ProcessExited,
    StartFailed,
    Stopped,
)

from .support import HANG, AsyncHarness, SyncHarness, alive_in_group, tool, until, within


class Refusals:
    async def test_a_refused_command_says_which_why_and_with_which_code(self):
        async with self.client(**self.settings([])) as client:
            with self.assertRaises(CommandFailed) as refused:
                await client.set_model("nobody", "nothing")
            error = refused.exception
            self.assertEqual(
                (error.command, error.code, error.message),
                ("set_model", "model_not_found", "Model not found: nobody/nothing"),
            )
            with self.assertRaises(CommandFailed) as refused:
                await client.request("no_such_command", {"a": 1})
            self.assertEqual(refused.exception.code, "unknown_command")
            with self.assertRaises(FrameRefused):
                await client.request("ping", {"value": object()})
            with self.assertRaisesRegex(HeddleError, "running already"):
                await client.start()
            self.assertEqual(await client.ping(), {})

    async def test_a_deadline_passes_and_the_client_goes_on(self):
        async with self.client(**self.settings(HANG)) as client:
            with self.assertRaises(DeadlineExceeded) as late:
                await within(client.bash("sleep 30", deadline=0.2))
            self.assertIsInstance(late.exception, TimeoutError)
            self.assertEqual((late.exception.what, late.exception.seconds), ("bash", 0.2))
            await client.abort_bash()
            with self.assertRaises(DeadlineExceeded):
                await within(client.prompt_and_wait("hi", deadline=0.5))
            with self.assertRaises(DeadlineExceeded):
                await within(client.wait_for_idle(deadline=0.1))
            # The run goes on until it is ended.
            self.assertTrue((await client.get_state())["isStreaming"])
            await client.abort()
            await within(client.wait_for_idle())

    async def test_what_is_wrong_at_the_start_is_said(self):
        with self.assertRaisesRegex(StartFailed, "no such program") as failed:
            await self.client(command=["no-such-heddle"]).start()
        with self.assertRaises(StartFailed) as failed:
            await self.client(**self.settings([], args=["--no-such-option"])).start()
        self.assertEqual((failed.exception.code, failed.exception.exit_code), ("INVALID_ARG", 1))
        self.assertIn("--no-such-option", str(failed.exception))
        with self.assertRaises(StartFailed):
            await self.client(**{**self.settings([]), "cwd": self.folder / "nowhere"}).start()
        with self.assertRaises(CommandFailed) as refused:
            await self.client(**self.settings([], tools=[tool("bash", print)])).start()
        self.assertEqual(refused.exception.code, "tool_conflict")
        with self.assertRaises(TypeError):
            self.client(command="heddle --verbose")

    async def test_a_client_that_does_not_run_says_so(self):
        client = self.client(**self.settings([]))
        self.assertEqual((client.is_running, client.pid, client.exit_code, client.stderr), (False, None, None, ""))
        with self.assertRaisesRegex(NotRunning, r"get_state: .*start\(\)"):
            await client.get_state()
        self.assertIsNone(await client.stop())
        await client.start()
        self.assertTrue(client.is_running)
        self.assertEqual(await client.stop(), 0)
        self.assertEqual(await client.stop(), 0)
        with self.assertRaises(NotRunning):
            await client.get_state()


class Ends:
    async def test_kill_9_fails_everything_that_waits(self):
        async with self.client(**self.settings(HANG)) as client:
            events = client.events()
            waiting = [
                asyncio.ensure_future(work)
                for work in (
                    client.prompt_and_wait("hi"),
                    client.bash("sleep 60"),
                    client.wait_for_idle(deadline=None),
                    client.collect_events(deadline=None),
                )
            ]
            while (await within(events.get()))["type"] != "message_update":
                pass
            os.killpg(client.pid, signal.SIGKILL)
            for error in await within(asyncio.gather(*waiting, return_exceptions=True)):
                self.assertIsInstance(error, ProcessExited)
                self.assertEqual(error.exit_code, -signal.SIGKILL)
                self.assertIn("SIGKILL", str(error))
            with self.assertRaises(ProcessExited):
                while await within(events.get()) is not None:
                    pass
            with self.assertRaises(ProcessExited):
                await within(client.get_state())
            self.assertFalse(client.is_running)

    async def test_when_only_the_launcher_is_killed_every_wait_ends_and_nothing_is_left(self):
        async with self.client(**self.settings(HANG)) as client:
            events = client.events()
            waiting = [
                asyncio.ensure_future(client.prompt_and_wait("hi")),
                asyncio.ensure_future(client.bash("sleep 60")),
            ]
            while (await within(events.get()))["type"] != "message_update":
                pass
            group = client.pid
            os.kill(group, signal.SIGKILL)
            # heddle itself sees the end of its input, and may still say how the run ended.
            prompt, bash = await within(asyncio.gather(*waiting, return_exceptions=True))
            self.assertTrue(isinstance(prompt, ProcessExited) or prompt.status == "aborted", prompt)
            self.assertTrue(isinstance(bash, ProcessExited) or bash["cancelled"], bash)
            await within(client.stop())
            await until(lambda: not alive_in_group(group))

    async def test_restart_after_a_crash_and_the_session_goes_on(self):
        settings = self.settings([{"text": "one"}], args=[], tools=[tool("mine", print)])
        async with self.client(**settings) as client:
            seen = []
            client.on_event(seen.append)
            await within(client.prompt_and_wait("remember this"))
            session, pid = client.session_id, client.pid
            os.kill(pid, signal.SIGKILL)
            await until(lambda: not client.is_running)
            del seen[:]
            await within(client.restart(session=session))
            self.assertNotEqual(client.pid, pid)
            messages = (await client.get_messages())["messages"]
            self.assertEqual(messages[0]["content"][0]["text"], "remember this")
            state = await client.get_state(verbose=True)
            self.assertEqual(state["sessionId"], session)
            self.assertIn("mine", [each["name"] for each in state["dumpTools"]])
            await within(client.prompt_and_wait("again"))
            self.assertIn("prompt_result", [event["type"] for event in seen])
            await within(client.restart())
            self.assertEqual((await client.get_messages())["messages"], [])

    async def test_stop_fails_what_waits_and_ends_heddle_in_order(self):
        settings = self.settings(HANG, args=[])
        async with self.client(**settings) as client:
            events = client.events()
            waiting = [
                asyncio.ensure_future(client.prompt_and_wait("hi")),
                asyncio.ensure_future(client.bash("sleep 60")),
            ]
            while (await within(events.get()))["type"] != "message_update":
                pass
            codes = await within(asyncio.gather(client.stop(), client.stop()))
            self.assertEqual(codes, [0, 0])
            for error in await within(asyncio.gather(*waiting, return_exceptions=True)):
                self.assertIsInstance(error, Stopped)
            # heddle had the time to store what the model had said.
            [stored] = (self.folder / "agent").glob("sessions/*/*.jsonl")
            self.assertIn("I was about to", stored.read_text(encoding="utf-8"))
            await within(client.start())
            self.assertEqual(await client.ping(), {})


class AsyncRefusals(Refusals, AsyncHarness): ...


class SyncRefusals(Refusals, SyncHarness): ...


class AsyncEnds(Ends, AsyncHarness): ...


class SyncEnds(Ends, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
