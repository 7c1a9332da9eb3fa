"""The protocol without a process: answers find their requests, and every request ends."""

import json
import unittest
from concurrent.futures import Future

from heddle_rpc.errors import CommandFailed, FrameRefused, Stopped
from heddle_rpc.wire.core import Core


class CoreTest(unittest.TestCase):
    def setUp(self):
        self.events, self.errors = [], []
        self.core = Core(self.events.append, self.errors.append)

    def feed(self, *frames):
        self.core.feed(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))

    def open(self, command="get_state", with_result=False):
        response, result = Future(), Future() if with_result else None
        request, data = self.core.open(command, {"a": 1}, response, result)
        self.assertEqual(json.loads(data), {"id": request, "type": command, "a": 1})
        return request, response, result

    def test_answers_in_any_order(self):
        (one, first, _), (two, second, _) = self.open(), self.open()
        self.feed(
            {"type": "response", "id": two, "command": "x", "success": True, "data": {"n": 2}},
            {"type": "response", "id": one, "command": "x", "success": True},
        )
        self.assertEqual((first.result(0), second.result(0)), ({}, {"n": 2}))
        self.assertEqual((self.core.waiting, self.events, self.errors), (0, [], []))

    def test_null_is_an_answer(self):
        request, response, _ = self.open("cycle_model")
        self.feed({"type": "response", "id": request, "command": "cycle_model", "success": True, "data": None})
        self.assertIsNone(response.result(0))

    def test_a_refusal_has_command_code_and_message(self):
        request, response, _ = self.open()
        self.feed({"type": "response", "id": request, "command": "c", "success": False, "error": "no", "code": "busy"})
        error = response.exception(0)
        self.assertIsInstance(error, CommandFailed)
        self.assertEqual((error.command, error.code, error.message), ("c", "busy", "no"))

    def test_a_refusal_under_request_id_and_one_under_no_id(self):
        request, response, _ = self.open("nonsense")
        self.feed({"type": "response", "command": "nonsense", "success": False, "error": "?", "requestId": request})
        self.assertIsInstance(response.exception(0), CommandFailed)
        self.assertEqual(self.errors, [])
        self.feed({"type": "response", "command": "parse", "success": False, "error": "bad line"})
        self.assertIn("bad line", str(self.errors[0]))

    def test_a_prompt_ends_with_its_own_result_and_after_the_event(self):
        request, response, result = self.open("prompt", True)
        seen = []
        result.add_done_callback(lambda _: seen.append(len(self.events)))
        self.feed({"type": "response", "id": request, "command": "prompt", "success": True, "data": {}})
        self.feed({"type": "agent_end"}, {"type": "prompt_result", "id": "another"}, {"type": "agent_settled"})
        self.assertFalse(result.done())
        self.feed({"type": "prompt_result", "id": request, "status": "completed"})
        self.assertEqual(result.result(0)["status"], "completed")
        self.assertEqual((seen, response.result(0)), ([4], {}))

    def test_a_late_refusal_ends_the_wait_for_the_result(self):
        request, _, result = self.open("prompt", True)
        self.feed({"type": "response", "id": request, "command": "prompt", "success": True, "data": {}})
        self.feed({"type": "response", "id": request, "command": "prompt", "success": False, "error": "late"})
        self.assertEqual(result.exception(0).message, "late")

    def test_closed_and_foreign_requests_are_ignored(self):
        request, response, _ = self.open()
        self.core.close(request)
        self.feed({"type": "response", "id": request, "command": "x", "success": True})
        self.feed({"type": "response", "id": "not mine", "command": "x", "success": False, "error": "e"})
        self.assertEqual((response.done(), self.errors), (False, []))

    def test_failing_ends_everything_now_and_later(self):
        (_, one, _), (_, two, result) = self.open(), self.open("prompt", True)
        self.core.fail(Stopped)
        for future, what in ((one, "get_state"), (two, "prompt"), (result, "prompt")):
            self.assertIsInstance(future.exception(0), Stopped)
            self.assertEqual(future.exception(0).what, what)
        self.assertIsNot(two.exception(0), result.exception(0))
        with self.assertRaises(Stopped):
            self.open()
        self.assertEqual(self.core.waiting, 0)

    def test_garbage_does_not_stop_it_and_a_last_line_counts(self):
        request, response, _ = self.open()
        answer = json.dumps({"type": "response", "id": request, "command": "x", "success": True, "data": {"n": 1}})
        self.core.feed(b"garbage\n\xff\xfe\nnull\n" + answer.encode())
        self.assertEqual(len(self.errors), 3)
        self.assertFalse(response.done())
        self.core.end_of_output()
        self.assertEqual(response.result(0), {"n": 1})
        self.core.feed(b'{"type":"ev')
        self.core.end_of_output()
        self.assertEqual((len(self.errors), self.events), (4, []))

    def test_a_frame_that_heddle_would_not_take_is_refused_and_not_pending(self):
        self.core.max_sent_bytes = 100
        with self.assertRaisesRegex(FrameRefused, "prompt: 2.. bytes; heddle takes at most 100 per frame"):
            self.core.open("prompt", {"message": "x" * 200}, Future())
        self.assertEqual(self.core.waiting, 0)


if __name__ == "__main__":
    unittest.main()
