"""Processes that write what is no frame, and processes that end."""

import asyncio
import unittest

from heddle_rpc import DeadlineExceeded, ProcessExited, ProtocolError, StartFailed

from .support import ECHO, AsyncHarness, SyncHarness, child, until, within


class Noisy:
    async def test_garbage_half_lines_and_strange_frames_are_reported_and_skipped(self):
        code = """
request = read()
write(b"not json\\n\\n\\r\\n\\xff\\xfe\\n[1]\\nnull\\n{\\"type\\":5}\\n")
write(b'{"type":"host_tool_call"}\\n')                      # without its members
send({"type": "of_a_later_version", "x": 1})
send({"type": "response", "command": "x", "success": True}) # nobody asked
send({"type": "prompt_result", "id": "nobody"})
write(b'{"type":"half",')
write(b'"text":"\\xe2\\x80')                                # in the middle of U+2028
write(b'\\xa8"}\\n')
respond(request, {"fine": True})
write(b'{"type":"cut off')
"""
        events, errors = [], []
        client = self.client(command=child(code))
        client.on_protocol_error(errors.append)
        await client.start()
        client.on_event(events.append)
        self.assertEqual(await within(client.get_state()), {"fine": True})
        await until(lambda: not client.is_running)
        await within(client.stop())
        self.assertTrue(all(isinstance(error, ProtocolError) for error in errors))
        self.assertEqual(
            [error.line for error in errors if not error.line.startswith(b"{'")],
            [b"not json", b"\xff\xfe", b"[1]", b"null", b'{"type":5}', b'{"type":"cut off'],
        )
        self.assertEqual(len(errors), 7)
        self.assertIn({"type": "of_a_later_version", "x": 1}, events)
        self.assertIn({"type": "half", "text": "\u2028"}, events)

    async def test_garbage_is_logged_when_nobody_listens(self):
        with self.assertLogs("heddle_rpc", "WARNING") as logs:
            async with self.client(command=child('write(b"oops\\n")' + ECHO)) as client:
                await within(client.ping())
        self.assertIn("oops", logs.output[0])

    async def test_one_byte_at_a_time(self):
        code = """
for request in iter(read, None):
    answer = {"id": request["id"], "type": "response", "command": "x", "success": True, "data": {"t": "a\\u2028ü😀"}}
    line = json.dumps(answer, ensure_ascii=False)
    for byte in line.encode() + b"\\n":
        write(bytes([byte]))
"""
        async with self.client(command=child(code)) as client:
            for _ in range(3):
                self.assertEqual(await within(client.get_state()), {"t": "a\u2028ü😀"})

    async def test_a_line_beyond_the_limit_is_skipped(self):
        code = 'read(); write(b"x" * 3_000_000 + b"\\n")' + ECHO
        errors = []
        async with self.client(command=child(code), max_frame_bytes=1_000_000, request_deadline=5) as client:
            client.on_protocol_error(errors.append)
            first = asyncio.ensure_future(client.request("one", deadline=0.5))
            await until(lambda: errors)
            self.assertEqual((await within(client.request("two")))["got"]["type"], "two")
            with self.assertRaises(DeadlineExceeded):
                await within(first)
        self.assertIn("more than 1000000 bytes", str(errors[0]))

    async def test_a_flood_on_stderr_blocks_nobody_and_its_end_is_kept(self):
        code = """
for number in range(200_000): sys.stderr.write(f"line {number} of many\\n")
sys.stderr.flush()
read(); sys.stderr.write("the last words\\n"); os._exit(7)
"""
        async with self.client(command=child(code)) as client:
            with self.assertRaises(ProcessExited) as ended:
                await within(client.get_state())
        self.assertEqual(ended.exception.exit_code, 7)
        self.assertIn("exit code 7", str(ended.exception))
        self.assertTrue(ended.exception.stderr.endswith("line 199999 of many\nthe last words\n"))
        self.assertLessEqual(len(client.stderr), 65536)
        self.assertLess(len(str(ended.exception)), 3000)

    async def test_an_answer_in_the_last_breath_counts(self):
        code = """
request = read()
data = {"last": "x" * 300_000}
write(json.dumps({"id": request["id"], "type": "response", "command": "x", "success": True, "data": data}).encode())
"""
        async with self.client(command=child(code)) as client:
            self.assertEqual(len((await within(client.get_state()))["last"]), 300_000)
            await until(lambda: not client.is_running)

    async def test_an_exit_at_the_start_says_what_stderr_says(self):
        cases = {
            'sys.stderr.write("boom\\n"); sys.exit(3)': (None, 3, "exit code 3 before it was ready"),
            'sys.stderr.write(\'note\\n{"error":{"code":"NO_MODEL","message":"say which"}}\\n\'); sys.exit(1)': (
                "NO_MODEL",
                1,
                "say which",
            ),
        }
        for code, (expected, exit_code, said) in cases.items():
            with self.assertRaisesRegex(StartFailed, said) as failed:
                await within(self.client(command=child(code, "import sys\n")).start())
            self.assertEqual((failed.exception.code, failed.exception.exit_code), (expected, exit_code))
            self.assertIn(("boom", "note")[expected is not None], failed.exception.stderr)


class AsyncNoisy(Noisy, AsyncHarness): ...


class SyncNoisy(Noisy, SyncHarness): ...


if __name__ == "__main__":
    unittest.main()
