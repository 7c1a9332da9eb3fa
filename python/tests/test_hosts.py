"""Host tools and questions to the user of both clients, with the real heddle."""

import asyncio
import os
import signal
import unittest

from heddle_rpc import LATER, CommandFailed

from .support import AsyncHarness, SyncHarness, call, tool, tool_results, until, within


class Hosts:
    async def test_host_tools_results_updates_and_errors(self):
        updates = []

        async def good(args, call):
            call.update("half")
            return f"{args['q']} for {call.tool_call_id}"

        async def bad(_args, _call):
            raise ValueError("no such thing")

        async def strange(_args, _call):
            return {"content": [{"type": "text", "text": "x"}], "details": {1, 2}}

        async def number(_args, _call):
            return 7

        async def late(_args, call):
            self.calls = call
            return {"content": [{"type": "text", "text": "whole"}], "details": {"n": 1}}

        functions = {"good": good, "bad": bad, "strange": strange, "number": number, "late": late}
        tools = [tool(name, self.function(work)) for name, work in functions.items()]
        steps = [call(name, q="what") for name in functions]
        async with self.client(**self.settings(steps, [{"text": "done"}])) as client:
            self.assertEqual(await client.set_host_tools(tools), {"toolNames": list(functions)})
            client.on_event(lambda event: updates.append(event) if event["type"] == "tool_execution_update" else None)
            results = tool_results(await within(client.prompt_and_wait("go")))
            self.calls.update("too late")
            self.assertEqual(await client.ping(), {})
        self.assertEqual(results["call_good"], ("what for call_good", False))
        self.assertEqual(results["call_bad"], ("no such thing", True))
        self.assertEqual(results["call_late"], ("whole", False))
        self.assertRegex(results["call_strange"][0], "cannot be sent as JSON")
        self.assertRegex(results["call_number"][0], "must return a string")
        self.assertEqual([each["partialResult"]["content"][0]["text"] for each in updates], ["half"])

    async def test_a_refused_set_of_tools_leaves_the_old_one(self):
        async def mine(_args, _call):
            return "still here"

        settings = self.settings([call("mine")], [], tools=[tool("mine", self.function(mine))])
        async with self.client(**settings) as client:
            with self.assertRaises(CommandFailed) as refused:
                await client.set_host_tools([tool("bash", self.function(mine))])
            self.assertEqual(refused.exception.code, "tool_conflict")
            results = tool_results(await within(client.prompt_and_wait("go")))
            self.assertEqual(results, {"call_mine": ("still here", False)})
            self.assertEqual(await client.set_host_tools([]), {"toolNames": []})

    async def test_questions_get_their_defaults_without_a_handler(self):
        async with self.client(**self.settings([self.question()], [])) as client:
            outcome = await within(client.prompt_and_wait("go"))
            self.assertEqual(outcome.status, "completed")
            self.assertNotIn("two", tool_results(outcome)["call_ask"][0])

    async def test_questions_are_answered_by_the_handler(self):
        asked = []

        async def answer(request, _cancelled):
            asked.append(request)
            return "two"

        async with self.client(**self.settings([self.question()], [], ui=self.function(answer))) as client:
            results = tool_results(await within(client.prompt_and_wait("go")))
        self.assertEqual(results["call_ask"], ("The user selected: two", False))
        self.assertEqual(
            [(each["method"], each["options"]) for each in asked], [("select", ["one", "two", "Other (type your own)"])]
        )

    async def test_a_handler_that_fails_means_the_default(self):
        async def answer(_request, _cancelled):
            raise RuntimeError("no screen")

        async with self.client(**self.settings([self.question()], [])) as client:
            client.set_ui_handler(self.function(answer))
            with self.assertLogs("heddle_rpc", "ERROR") as logs:
                outcome = await within(client.prompt_and_wait("go"))
            self.assertEqual(outcome.status, "completed")
        self.assertIn("no screen", logs.output[0])

    async def test_a_question_can_be_answered_later(self):
        asked = []

        async def answer(request, _cancelled):
            asked.append(request["id"])
            return LATER

        async with self.client(**self.settings([self.question()], [], ui=self.function(answer))) as client:
            waiting = asyncio.ensure_future(client.prompt_and_wait("go"))
            await until(lambda: asked)
            await client.respond_ui(asked[0], value="one")
            self.assertEqual(tool_results(await within(waiting))["call_ask"], ("The user selected: one", False))

    async def test_a_withdrawn_question_is_cancelled(self):
        asked, cancelled_calls = [], []

        async def answer(request, cancelled):
            asked.append(request)
            try:
                while not cancelled.is_set():
                    await asyncio.sleep(0.005)
            finally:
                cancelled_calls.append(cancelled.is_set())
            return "two"

        async with self.client(**self.settings([self.question()], [], ui=self.function(answer))) as client:
            waiting = asyncio.ensure_future(client.prompt_and_wait("go"))
            await until(lambda: asked)
            await within(client.abort())
            self.assertEqual((await within(waiting)).status, "aborted")
            await until(lambda: cancelled_calls == [True])

    async def test_a_call_is_cancelled_once_and_nothing_is_sent_after_it(self):
        calls, ends = [], []

        async def slow(_args, call):
            calls.append(call)
            try:
                while not call.cancelled.is_set():
                    await asyncio.sleep(0.005)
            finally:
                ends.append(call.cancelled.is_set())
            call.update("after the end")
            return "after the end"

        async with self.client(
            **self.settings([call("slow")], [], tools=[tool("slow", self.function(slow))])
        ) as client:
            waiting = asyncio.ensure_future(client.prompt_and_wait("go"))
            await until(lambda: calls)
            await within(client.abort())
            outcome = await within(waiting)
            self.assertEqual(outcome.status, "aborted")
            await until(lambda: ends == [True])
            self.assertEqual(tool_results(outcome)["call_slow"], ('Host tool "slow" was aborted', True))
            self.assertEqual(await client.ping(), {})

    async def test_calls_are_cancelled_when_heddle_dies(self):
        await self.check_cancelled(lambda client: os.killpg(client.pid, signal.SIGKILL))

    async def test_calls_are_cancelled_by_stop(self):
        await self.check_cancelled(lambda client: client.stop())

    async def check_cancelled(self, end):
        calls, ends = [], []

        async def slow(_args, call):
            calls.append(call)
            try:
                while not call.cancelled.is_set():
                    await asyncio.sleep(0.005)
            finally:
                ends.append(call.cancelled.is_set())
            return "x"

        settings = self.settings([call("slow")], [], tools=[tool("slow", self.function(slow))])
        async with self.client(**settings) as client:
            await client.prompt("go")
            await until(lambda: calls)
            ending = end(client)
            if ending is not None:
                await within(ending)
            await until(lambda: ends == [True])

    def question(self):
        return call(
            "ask", questions=[{"id": "q", "question": "Which?", "options": [{"label": "one"}, {"label": "two"}]}]
        )


class AsyncHosts(Hosts, AsyncHarness): ...


class SyncHosts(Hosts, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
