"""Lines are cut at LF only, however the bytes arrive."""

import json
import random
import unittest

from heddle_rpc.errors import FrameRefused, ProtocolError
from heddle_rpc.wire.framing import LineSplitter, decode, encode

NASTY = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\rh\nüöß 😀 \ud800 \x00"
FRAMES = [{"type": "x", "text": NASTY}, {"type": "y", "n": 1}, {"type": "z", "text": "😀" * 3, "deep": [[{}]]}]


def lines_of(chunks, limit=1 << 20):
    splitter = LineSplitter(limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return [*lines, *splitter.flush()]


def raw(frame):
    """The frame as another program might write it: nothing escaped that need not be."""
    text = json.dumps(frame, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


class Framing(unittest.TestCase):
    def test_every_cut_gives_the_same_frames(self):
        frames = [{"type": "x", "text": NASTY.replace("\ud800", "")}, *FRAMES[1:]]
        stream = b"".join(map(raw, frames))
        for first in range(len(stream) + 1):
            chunks = [stream[:first], stream[first:]]
            self.assertEqual([decode(line) for line in lines_of(chunks)], frames)

    def test_one_byte_at_a_time(self):
        stream = b"".join(map(encode, FRAMES))
        self.assertEqual([decode(line) for line in lines_of(bytes([byte]) for byte in stream)], FRAMES)

    def test_random_cuts(self):
        chance = random.Random(7)
        stream = b"".join(map(encode, FRAMES * 20))
        for _ in range(200):
            cuts = sorted(chance.randrange(len(stream)) for _ in range(chance.randrange(30)))
            chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)])]
            self.assertEqual([decode(line) for line in lines_of(chunks)], FRAMES * 20)

    def test_what_is_sent_is_one_line_of_ascii(self):
        for frame in FRAMES:
            data = encode(frame)
            self.assertEqual(len(data.decode("ascii").splitlines()), 1)
            self.assertEqual(json.loads(data), frame)

    def test_ends_of_lines_blank_lines_and_a_bom(self):
        stream = b'\xef\xbb\xbf{"type":"a"}\r\n\n  \r\n\t\n{"type":"b"}'
        self.assertEqual([decode(line) for line in lines_of([stream])], [{"type": "a"}, {"type": "b"}])

    def test_what_is_no_frame_is_an_error(self):
        for line in (b"null", b"[1]", b'"x"', b"{}", b'{"type":5}', b"{", b"\xff{}", b'{"type":"x"', b"[" * 100_000):
            found = decode(line)
            self.assertIsInstance(found, ProtocolError, line[:20])
            self.assertEqual(found.line, line)

    def test_a_line_that_is_too_long_is_skipped_and_the_next_one_read(self):
        stream = encode({"type": "long", "text": "x" * 500}) + encode({"type": "next"})
        for size in (1, 7, 100, 600, 10_000):
            chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
            long, following = lines_of(chunks, limit=200)
            self.assertIsInstance(long, ProtocolError)
            self.assertIn(b"long", long.line)
            self.assertLess(len(long.line), 500)
            self.assertEqual(decode(following), {"type": "next"})

    def test_what_is_no_json_is_refused(self):
        loop = []
        loop.append(loop)
        for value in (object(), {1}, b"bytes", float("nan"), float("inf"), loop):
            with self.assertRaisesRegex(FrameRefused, "^x: cannot be sent as JSON"):
                encode({"type": "x", "value": value})


if __name__ == "__main__":
    unittest.main()
