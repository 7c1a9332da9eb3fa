"""A prompt as a loop over its events, and looking for what runs, with both clients and the real heddle."""

import asyncio
import unittest

from heddle_rpc import CommandFailed, HeddleError, fibers

from .support import HANG, AsyncHarness, SyncHarness, call, until, within


class Runs:
    async def test_the_loop_ends_with_the_result_and_has_an_outcome(self):
        async with self.client(**self.settings([call("ls", path=".")], [{"text": "Done."}])) as client:
            kinds, outcome = await self.read(client, "hi")
            self.assertEqual((kinds[0], kinds[-1]), ("agent_start", "prompt_result"))
            self.assertIn("tool_execution_end", kinds)
            self.assertEqual((outcome.status, outcome.text), ("completed", "Done."))

    async def test_leaving_the_loop_ends_the_run(self):
        async with self.client(**self.settings(HANG, [{"text": "next"}])) as client:
            kinds, outcome = await self.read(client, "hang", last="message_update")
            self.assertEqual(kinds[-1], "message_update")
            self.assertEqual(outcome.status, "aborted")
            self.assertFalse((await client.get_state())["isStreaming"])
            self.assertEqual((await self.read(client, "again"))[1].text, "next")

    async def test_a_queued_prompt_is_taken_back_and_the_run_goes_on(self):
        async with self.client(**self.settings(HANG)) as client:
            seen = []
            client.on_event(lambda event: seen.append(event["type"]))
            await client.prompt("hang")
            await until(lambda: "message_update" in seen)
            _, outcome = await self.read(client, "later", last="queue_update", streaming_behavior="followUp")
            self.assertEqual((outcome.status, outcome.agent_invoked), ("aborted", False))
            state = await client.get_state()
            self.assertEqual((state["isStreaming"], state["queuedMessageCount"]), (True, 0))

    async def test_a_refused_prompt_raises_and_a_failed_run_is_an_outcome(self):
        fail = {"fail": {"reason": "authentication", "message": "invalid x-api-key", "httpStatus": 401}}
        async with self.client(**self.settings([fail], HANG)) as client:
            kinds, outcome = await self.read(client, "hi")
            self.assertEqual((kinds[-1], outcome.status), ("prompt_result", "error"))
            await client.prompt("hang")
            with self.assertRaises(CommandFailed) as caught:
                await self.read(client, "busy")
            self.assertEqual(caught.exception.code, "busy")

    async def test_the_end_of_the_process_ends_the_loop(self):
        async with self.client(**self.settings(HANG)) as client:
            reading = asyncio.ensure_future(self.read(client, "hang"))
            await until(lambda: client_of(client).session_id is not None)
            await client.stop()
            with self.assertRaises(HeddleError):
                await within(reading)

    async def test_what_runs_is_found_and_cancel_ends_it(self):
        async with self.client(**self.settings([call("bash", command="sleep 60")], [{"text": "Done."}])) as client:
            seen = []
            client.on_event(lambda event: seen.append(event["type"]))
            running = asyncio.ensure_future(client.prompt_and_wait("hi"))
            await until(lambda: "tool_execution_start" in seen)
            tree = await client.get_fibers()
            kinds = [part["kind"] for part in fibers.walk(tree)]
            self.assertEqual(kinds[:3], ["session", "run", "turn"])
            self.assertIsNone(fibers.find(tree, lambda part: part["label"] == "nothing"))
            run = fibers.find(tree, lambda part: part["kind"] == "run")
            found = fibers.find(run, lambda part: part["kind"] == "tool_call")
            self.assertIn("sleep 60", found["label"])
            self.assertEqual((await client.cancel(found["id"]))["outcome"], "cancelled")
            self.assertEqual((await within(running)).text, "Done.")
            self.assertEqual((await client.cancel(found["id"]))["outcome"], "already_done")


def client_of(client):
    return getattr(client, "inner", client)


class AsyncRuns(Runs, AsyncHarness):
    async def read(self, client, message, last=None, **options):
        kinds = []
        async with client.run(message, **options) as run:
            async for event in run:
                kinds.append(event["type"])
                if event["type"] == last:
                    break
        return kinds, run.outcome

    async def test_leaving_without_a_with_ends_the_run_soon(self):
        async with self.client(**self.settings(HANG)) as client:
            run = client.run("hang")
            async for event in run:
                if event["type"] == "message_update":
                    break
            await until(lambda: run.outcome is not None)
            self.assertEqual(run.outcome.status, "aborted")

    async def test_a_run_that_is_closed_at_once_is_not_sent(self):
        async with self.client(**self.settings([{"text": "first"}])) as client:
            await client.run("hi").aclose()
            self.assertEqual((await self.read(client, "hi"))[1].text, "first")


class SyncRuns(Runs, SyncHarness):
    async def read(self, client, message, last=None, **options):
        def work():
            kinds = []
            run = client.inner.run(message, **options)
            for event in run:
                kinds.append(event["type"])
                if event["type"] == last:
                    break
            return kinds, run.outcome

        return await asyncio.get_running_loop().run_in_executor(None, work)


if __name__ == "__main__":
    unittest.main()
