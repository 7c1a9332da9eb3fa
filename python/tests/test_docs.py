"""The programs in docs/python.md and README.md print what the page says, with a `heddle` on PATH."""

import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import heddle_rpc

from .support import HEDDLE, ROOT

PAGES = [ROOT / "docs" / "python.md", ROOT / "python" / "README.md"]
BLOCK = re.compile(r"((?:<!-- (?:file|prints):.*?-->\s*)*)```python\n(.*?)```", re.DOTALL)
FILE = re.compile(r"<!-- file: (\S+)\n(.*?)-->", re.DOTALL)
PRINTS = re.compile(r"<!-- prints:\n(.*?)-->", re.DOTALL)


def blocks():
    for page in PAGES:
        for number, (notes, code) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            yield f"{page.name} {number + 1}", code, FILE.findall(notes), PRINTS.findall(notes)


def run(code, files):
    with tempfile.TemporaryDirectory(prefix="heddle-docs-") as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        work.mkdir()
        shim = Path(folder, "heddle")
        shim.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in HEDDLE) + ' "$@"\n')
        shim.chmod(0o755)
        for name, text in files:
            (work / name).write_text(text, encoding="utf-8")
        env = {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=work, env=env, capture_output=True, encoding="utf-8", timeout=60)
        return done.stdout, done.stderr, done.returncode


def fits(printed, said):
    """`…` on a line of its own stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^…\n", said, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*".join(parts), re.sub(r"^\n+", "", re.sub(r"\n\n+", "\n", printed)))


class Docs(unittest.TestCase):
    def test_every_program_prints_what_the_page_says(self):
        found = list(blocks())
        self.assertEqual(len(found), 7)
        for name, code, files, prints in found:
            with self.subTest(name):
                self.assertEqual(len(prints), 1, "a program needs a comment <!-- prints: … -->")
                printed, complaints, code_of_exit = run(code, files)
                self.assertEqual((complaints, code_of_exit), ("", 0))
                self.assertTrue(fits(printed, prints[0]), printed)

    def test_the_first_host_has_at_most_thirty_lines(self):
        for name, code, _, _ in blocks():
            self.assertLessEqual(len(code.splitlines()), 30, name)

    def test_the_check_finds_other_output(self):
        self.assertTrue(fits("a\n\nb\nc\nd\n", "a\n…\nd\n"))
        self.assertFalse(fits("a\nb\n", "a\n…\nd\n"))
        self.assertFalse(fits("a\nb\n", "a\n"))

    def test_every_exception_and_option_is_on_the_page(self):
        page = PAGES[0].read_text(encoding="utf-8")
        options = [name for name in inspect.signature(heddle_rpc.Client.__init__).parameters if name != "self"]
        errors = [
            name for name, each in vars(heddle_rpc).items() if isinstance(each, type) and issubclass(each, Exception)
        ]
        self.assertEqual([name for name in options + errors if f"`{name}`" not in page], ["ProtocolError"])


if __name__ == "__main__":
    unittest.main()
