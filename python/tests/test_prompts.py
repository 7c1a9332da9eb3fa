"""Prompts, answers and events of both clients, with the real heddle and the offline model."""

import asyncio
import unittest
from typing import get_type_hints

from heddle_rpc import CommandFailed, DeadlineExceeded, FrameRefused, NotRunning, protocol

from .conformance import event_problems, problems
from .support import HANG, AsyncHarness, SyncHarness, call, tool, until, within

SEPARATORS = "a\u2028b\u2029c\u0085d\r\ne\x0bf\x1cg 😀 ü"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Prompts:
    async def test_a_prompt_ends_with_its_result_and_every_event_has_its_type(self):
        steps = [{"thinking": "Hm."}, {"text": "Listing. "}, call("ls", path=".")]
        seen = []
        async with self.client(**self.settings(steps, [{"text": "Done."}])) as client:
            client.on_event(seen.append)
            outcome = await within(
                client.prompt_and_wait("hi", images=[{"type": "image", "data": PIXEL, "mimeType": "image/png"}])
            )
        self.assertEqual(
            (outcome.status, outcome.text, outcome.error, outcome.agent_invoked), ("completed", "Done.", None, True)
        )
        self.assertEqual(
            [message["role"] for message in outcome.messages], ["user", "assistant", "toolResult", "assistant"]
        )
        kinds = [event["type"] for event in outcome.events]
        self.assertEqual(kinds[-2:], ["agent_end", "prompt_result"])
        # The callbacks have seen everything that the outcome has.
        self.assertEqual(seen[: seen.index(outcome.events[-1]) + 1], outcome.events)
        self.assertEqual([problem for event in seen for problem in event_problems(event)], [])
        deltas = [event["assistantMessageEvent"] for event in seen if event["type"] == "message_update"]
        self.assertTrue(deltas)
        self.assertEqual([step for step in deltas if "partial" in step], [])

    async def test_answers_have_their_types(self):
        async with self.client(**self.settings([{"text": "x"}])) as client:
            await within(client.prompt_and_wait("hi"))
            for name in (
                "get_state",
                "get_messages",
                "get_session_stats",
                "get_available_models",
                "get_queue",
                "get_fibers",
                "get_tree",
                "get_entries",
                "get_commands",
                "get_budget",
                "list_sessions",
                "ping",
                "get_integrations",
            ):
                data = await getattr(client, name)()
                kind = get_type_hints(getattr(type(getattr(client, "inner", client)), name))["return"]
                self.assertEqual(problems(data, kind, name), [])
            self.assertEqual(await client.get_last_assistant_text(), {"text": "x"})
            self.assertIsNone(await client.set_session_name("a name"))
            self.assertEqual((await client.get_state(verbose=True))["sessionName"], "a name")
            self.assertEqual(problems(client.server, protocol.InitializeData, "server"), [])
            # Members that may be null are sent as null when they are asked for by name.
            self.assertEqual((await client.set_event_filter(["agent_end"]))["events"], ["agent_end"])
            self.assertIsNone((await client.set_event_filter(None))["events"])

    async def test_the_wait_goes_through_retries_to_the_true_end(self):
        fail = {"fail": {"reason": "overloaded", "message": "busy", "retryAfterMs": 1}}
        async with self.client(**self.settings([fail], [{"text": "at last"}])) as client:
            outcome = await within(client.prompt_and_wait("hi"))
        self.assertEqual((outcome.status, outcome.text), ("completed", "at last"))
        self.assertIn("auto_retry_end", [event["type"] for event in outcome.events])

    async def test_a_run_that_fails_is_an_outcome(self):
        fail = {"fail": {"reason": "authentication", "message": "invalid x-api-key", "httpStatus": 401}}
        async with self.client(**self.settings([fail])) as client:
            outcome = await within(client.prompt_and_wait("hi"))
        self.assertEqual(outcome.status, "error")
        self.assertIn("invalid x-api-key", outcome.error["message"])
        self.assertEqual(outcome.error["httpStatus"], 401)

    async def test_prompts_in_a_queue_end_with_their_own_results(self):
        slow = [call("wait_here"), {"text": "first"}]
        go = asyncio.Event()
        loop = asyncio.get_running_loop()

        async def wait_here(_args, _call):
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go.wait(), loop))
            return "ok"

        settings = self.settings(
            slow, [{"text": "one"}], [{"text": "two"}], tools=[tool("wait_here", self.function(wait_here))]
        )
        async with self.client(**settings) as client:
            seen = []
            client.on_event(lambda event: seen.append(event["type"]))
            first = asyncio.ensure_future(client.prompt_and_wait("one"))
            await until(lambda: "host_tool_call" in seen)
            with self.assertRaises(CommandFailed) as refused:
                await client.prompt("no queue")
            self.assertEqual((refused.exception.command, refused.exception.code), ("prompt", "busy"))
            self.assertIn("Agent is already processing", refused.exception.message)
            second = asyncio.ensure_future(client.prompt_and_wait("two", streaming_behavior="followUp"))
            while not (await client.get_queue())["items"]:
                pass
            self.assertFalse(first.done() or second.done())
            go.set()
            outcomes = await within(asyncio.gather(first, second))
            self.assertEqual([outcome.status for outcome in outcomes], ["completed", "completed"])
            await within(client.wait_for_idle())
            self.assertTrue((await client.get_state())["isSettled"])

    async def test_abort_ends_the_wait_as_aborted(self):
        async with self.client(**self.settings(HANG)) as client:
            events = client.events()
            waiting = asyncio.ensure_future(client.prompt_and_wait("hi"))
            while (await within(events.get()))["type"] != "message_update":
                pass
            await client.abort()
            self.assertEqual((await within(waiting)).status, "aborted")
            self.assertEqual((await within(client.get_state()))["isStreaming"], False)

    async def test_separators_of_lines_and_strange_characters_survive(self):
        async with self.client(**self.settings([{"text": SEPARATORS}])) as client:
            outcome = await within(client.prompt_and_wait(SEPARATORS))
            self.assertEqual(outcome.text, SEPARATORS)
            first = (await client.get_messages())["messages"][0]
            self.assertEqual(first["content"][0]["text"], SEPARATORS)

    async def test_large_frames_in_both_directions(self):
        long = "ä😀\u2028" * 400_000
        async with self.client(**self.settings([{"text": "x" * 1_000_000, "chunk": 100_000}])) as client:
            outcome = await within(client.prompt_and_wait(long), 60)
            self.assertEqual(len(outcome.text), 1_000_000)
            self.assertEqual((await within(client.get_messages()))["messages"][0]["content"][0]["text"], long)
            with self.assertRaisesRegex(FrameRefused, "heddle takes at most"):
                await client.prompt("x" * 70_000_000)
            self.assertEqual(await within(client.ping()), {})

    async def test_collecting_and_streaming_events(self):
        async with self.client(**self.settings([{"text": "a b c"}], [{"text": "d"}])) as client:
            events = client.events()
            collecting = asyncio.ensure_future(client.collect_events())
            await client.get_state()
            await within(client.prompt_and_wait("hi"))
            collected = await within(collecting)
            self.assertEqual(collected[-1]["type"], "session_settled")
            kinds = []
            while "session_settled" not in kinds:
                kinds.append((await within(events.get()))["type"])
            self.assertIn("agent_start", kinds)
            with self.assertRaises(DeadlineExceeded):
                await events.get(deadline=0.01)
            await within(client.stop())
            self.assertIsNone(await within(events.get()))
            self.assertIsNone(await within(events.get()))
            with self.assertRaises(NotRunning):
                client.events()


class AsyncPrompts(Prompts, AsyncHarness): ...


class SyncPrompts(Prompts, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
