"""Programs that call the client from many places at once, cancel calls, or have callbacks that fail."""

import asyncio
import threading
import unittest

from heddle_rpc import host_tool

from .support import ECHO, AsyncHarness, SyncHarness, alive_in_group, child, until, within


class Callers:
    async def test_many_calls_at_once_get_their_own_answers(self):
        async with self.client(command=child(ECHO)) as client:
            answers = await within(asyncio.gather(*(client.request("x", {"n": number}) for number in range(100))))
        self.assertEqual([answer["got"]["n"] for answer in answers], list(range(100)))

    async def test_a_callback_that_fails_harms_nobody(self):
        seen = []
        async with self.client(command=child('send({"type": "a"})' + ECHO)) as client:
            with self.assertLogs("heddle_rpc", "ERROR") as logs:
                stop_failing = client.on_event(lambda event: 1 / 0)
                remove = client.on_event(lambda event: seen.append(event))
                await within(client.request("x"))
                await client.stop()
                await client.restart()
                await until(lambda: seen)
                stop_failing()
            remove()
            await client.stop()
            before = len(seen)
            await client.start()
            self.assertEqual(len(seen), before)
        self.assertIn("ZeroDivisionError", logs.output[0])


class OnlyAsync(AsyncHarness):
    async def test_a_cancelled_call_leaves_nothing_behind(self):
        async with self.client(command=child("sys.stdin.read()")) as client:
            for work in (
                client.get_state(),
                client.prompt_and_wait("hi"),
                client.wait_for_idle(),
                client.events().get(),
            ):
                task = asyncio.ensure_future(work)
                await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await within(task)
            self.assertEqual((client._connection.waiting, len(client._on_event)), (0, 1))

    async def test_a_cancelled_stop_is_carried_through(self):
        client = self.client(command=child("sys.stdin.read()"))
        await client.start()
        stopping = asyncio.ensure_future(client.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        await until(lambda: client.exit_code is not None)
        self.assertEqual(await within(client.stop()), 0)

    async def test_a_cancelled_start_leaves_no_process(self):
        client = self.client(command=child("sys.stdin.read()", "import sys\n"), start_deadline=None)
        starting = asyncio.ensure_future(client.start())
        await until(lambda: client.pid is not None)
        starting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await within(starting)
        self.assertEqual((client.exit_code, alive_in_group(client.pid)), (0, []))

    async def test_a_stream_has_one_reader(self):
        async with self.client(command=child(ECHO)) as client:
            events = client.events()
            first = asyncio.ensure_future(events.get())
            await asyncio.sleep(0)
            with self.assertRaisesRegex(RuntimeError, "has a reader already"):
                await events.get()
            first.cancel()


class OnlySync(SyncHarness):
    async def test_callbacks_may_call_the_client(self):
        answers = []
        client = self.client(command=child('send({"type": "a"})' + ECHO))
        client.on_event(lambda event: answers.append(client.inner.request("from_callback")["got"]["type"]))
        async with client:
            await until(lambda: answers)
        self.assertEqual(answers[0], "from_callback")

    async def test_a_callback_may_stop_the_client(self):
        client = self.client(command=child('send({"type": "a"})' + ECHO))
        client.on_event(lambda event: client.inner.stop() if event["type"] == "a" else None)
        await client.start()
        await until(lambda: not client.is_running)
        await within(client.stop())

    async def test_a_callback_that_blocks_does_not_hold_up_stop(self):
        release = threading.Event()
        entered = []

        def block(event):
            entered.append(event)
            release.wait()

        client = self.client(command=child('send({"type": "a"})' + ECHO))
        client.on_event(block)
        async with client:
            await until(lambda: entered)
            self.assertEqual((await within(client.request("x")))["got"]["type"], "x")
            await within(client.stop())
            release.set()

    async def test_an_async_tool_is_refused_with_a_reason(self):
        code = """
respond(read(), {})  # set_host_tools
send({"type": "host_tool_call", "id": "h1", "toolCallId": "t", "toolName": "mine", "arguments": {}})
request, result = sorted((read(), read()), key=lambda frame: frame["type"])
respond(request, result)
"""

        async def mine(_args, _call):
            return "x"

        async with self.client(command=child(code), tools=[host_tool("d", {})(mine)]) as client:
            answer = await within(client.get_state())
        self.assertTrue(answer["isError"])
        self.assertEqual(answer["result"]["content"][0]["text"], "mine is async: use it with AsyncClient")


class AsyncCallers(Callers, AsyncHarness): ...


class SyncCallers(Callers, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
