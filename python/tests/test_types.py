"""The generated modules: they load on Python 3.9, say what heddle sends, and both clients have every command."""

import ast
import inspect
import json
import py_compile
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any, get_args, get_type_hints

import heddle_rpc
from heddle_rpc import AsyncClient, Client, protocol

from .conformance import event_problems, problems
from .support import ROOT

PACKAGE = Path(heddle_rpc.__file__).parent
SCHEMA = json.loads((ROOT / "docs" / "rpc.schema.json").read_text(encoding="utf-8"))


class Types(unittest.TestCase):
    def test_every_file_is_python_3_9(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in [*PACKAGE.rglob("*.py"), *Path(__file__).parent.glob("*.py")]:
                ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
                py_compile.compile(str(path), cfile=str(Path(folder) / "out.pyc"), doraise=True)

    def test_nothing_but_the_standard_library_is_imported(self):
        found = set()
        for path in PACKAGE.rglob("*.py"):
            found |= set(re.findall(r"^(?:import|from) (\w[\w.]*)", path.read_text(encoding="utf-8"), re.M))
        allowed = (
            "__future__ asyncio collections concurrent.futures dataclasses enum inspect json logging os queue shutil "
            "signal threading time typing"
        )
        self.assertLessEqual(found, set(allowed.split()))

    def test_all_hints_can_be_resolved(self):
        classes = [each for each in vars(protocol).values() if hasattr(each, "__required_keys__")]
        self.assertGreater(len(classes), 250)
        for each in classes:
            hints = get_type_hints(each)
            self.assertEqual(set(hints), each.__required_keys__ | each.__optional_keys__, each)

    def test_required_members_are_those_of_the_schema(self):
        for name, schema in SCHEMA["$defs"].items():
            if schema.get("type") == "object" and schema.get("properties"):
                each = getattr(protocol, name)
                self.assertEqual(each.__required_keys__, set(schema.get("required", [])), name)
                self.assertEqual(each.__required_keys__ | each.__optional_keys__, set(schema["properties"]), name)

    def test_every_type_command_and_event_of_the_schema_is_there(self):
        self.assertEqual([name for name in SCHEMA["$defs"] if not hasattr(protocol, name)], [])
        self.assertEqual(list(get_args(protocol.CommandName)), list(SCHEMA["x-commands"]))
        events = [each.__name__ for each in get_args(protocol.Event)]
        self.assertEqual(events, [each["frame"]["$ref"].split("/")[-1] for each in SCHEMA["x-events"].values()])

    def test_both_clients_have_every_command_with_the_same_parameters(self):
        for command in SCHEMA["x-commands"]:
            blocking, coroutine = getattr(Client, command), getattr(AsyncClient, command)
            self.assertTrue(inspect.iscoroutinefunction(coroutine), command)
            self.assertFalse(inspect.iscoroutinefunction(blocking), command)
            self.assertEqual(inspect.signature(blocking), inspect.signature(coroutine), command)
            self.assertIn("deadline", inspect.signature(blocking).parameters, command)

    def test_both_clients_have_the_same_other_methods(self):
        def public(client: Any) -> set:
            return {name for name in dir(client) if not name.startswith("_")}

        self.assertEqual(public(Client), public(AsyncClient))
        for name in ("start", "stop", "restart", "request", "prompt_and_wait", "wait_for_idle", "collect_events"):
            self.assertEqual(
                inspect.signature(getattr(Client, name)), inspect.signature(getattr(AsyncClient, name)), name
            )

    def test_the_check_of_frames_finds_what_is_wrong(self):
        good = {"type": "agent_settled", "aborted": False, "runId": "r", "sessionId": "s", "epoch": "e", "seq": 1}
        self.assertEqual(event_problems({**good, "more": 1}), [])
        self.assertEqual(event_problems({**good, "seq": "1"}), ["agent_settled.seq: '1' is no int"])
        self.assertEqual(event_problems({"type": "x"}), ["x: unknown event"])
        del good["aborted"]
        self.assertEqual(event_problems(good), ["agent_settled: aborted is missing"])
        self.assertEqual(problems({"a": 1}, protocol.AbortDataCleared, "d")[0][:3], "d: ")

    def test_the_version_is_that_of_heddle(self):
        package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
        self.assertEqual(heddle_rpc.__version__, package["version"])


if __name__ == "__main__":
    unittest.main()
