#!/usr/bin/env python3
"""bench_padding from outside: a padded batch of the shipped model has the bits of its texts alone; what it refuses.

usage: bench_padding_test.py BENCH_PADDING EDGECONV MODEL
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, EDGECONV, MODEL = sys.argv[1:4]


class BenchPadding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.blob = pathlib.Path(cls.folder.name) / "packed.ert"
        subprocess.run([EDGECONV, MODEL, "-o", cls.blob], check=True, capture_output=True)
        cls.computed = pathlib.Path(cls.folder.name) / "computed.ert"
        subprocess.run([EDGECONV, MODEL, "-o", cls.computed, "--padding", "compute"], check=True, capture_output=True)

    def call(self, *args):
        done = subprocess.run([BENCH, *map(str, args)], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def test_a_batch_has_the_bits_of_its_texts(self):
        code, text = self.call(self.blob, "1,5,16,9", 2)
        self.assertEqual(code, 0, text)
        self.assertIn("padded batch 4x16:", text)
        self.assertIn("bits: the same in the batch and alone", text)

    def test_what_it_refuses(self):
        for args, reason in (([], "usage"), ([self.blob, "5,x"], "usage"), ([self.blob, "5,"], "usage"), ([self.blob, "0"], "usage"),
                             ([self.blob, "5", "x"], "usage"), ([self.blob, "5", "0"], "usage"), ([self.blob, "5", "1", "1"], "usage"),
                             ([self.computed, "5"], "this blob computes padded positions"), ([self.blob, "99999"], "DIMS")):
            code, text = self.call(*args)
            self.assertEqual(code, 2, text)
            self.assertIn(reason, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
