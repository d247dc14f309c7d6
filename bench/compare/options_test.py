"""Options that are wrong end run.sh with code 2 and a reason before it installs anything."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN = pathlib.Path(__file__).with_name("run.sh")


class Options(unittest.TestCase):
    def call(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder) / "work"
            # No pip by these addresses, should it come that far.
            environment = {**os.environ, "PYTHON": sys.executable, "PIP_NO_INDEX": "1", "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run([RUN, work, *options], capture_output=True, text=True, timeout=60, env=environment)
            return done.returncode, done.stderr, work.exists()

    def test_wrong_ones_are_refused_before_anything_is_installed(self):
        for options, reason in (
                (["--models", "nosuch"], "unknown nosuch; known: minilm"), (["--models=nosuch"], "unknown nosuch"),
                (["--peers", "nosuch"], "unknown nosuch; known: ort_fp32"), (["--shapes", "1x8,1y8"], "unknown 1y8; known: 1x8"),
                (["--sections", "nosuch"], "unknown section nosuch"), (["--threads", "0"], "--threads are counts from 1 to"),
                (["--threads", "1,x"], "--threads"), (["--threads", ""], "--threads are counts"),
                (["--levels", "avx9"], "unknown level avx9; known: sse41"), (["--sections", "levels"], "belong together"), (["--ref-texts", "few"], "--ref-texts is a count or all"), (["--rounds", "0"], "--rounds and --tries start at 1"),
                (["--blob", "x.ert"], "--blob needs --models"), (["--nosuch"], "unrecognized arguments: --nosuch")):
            code, error, made = self.call(*options)
            self.assertEqual((code, made), (2, False), f"{options}: {error}")
            self.assertIn(reason, error)

    def test_good_ones_pass(self):
        for options in (["--dry-run"], ["--dry-run", "--levels"], ["--dry-run", "--levels", "sse41,avx2"], ["--dry-run", "--models", "minilm,bilstm", "--shapes", "1x8", "--threads", "1", "--ref-texts", "all"]):
            self.assertEqual(self.call(*options), (0, "", False))


if __name__ == "__main__":
    unittest.main()
