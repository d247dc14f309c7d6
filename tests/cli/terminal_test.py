#!/usr/bin/env python3
"""edgeconv on terminals of several widths: the help fits, the progress stays in its line, an interruption says one line; silent where there is no terminal.

usage: terminal_test.py EDGECONV SOURCE_FOLDER
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

EDGECONV, SOURCE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
MODEL = str(pathlib.Path(SOURCE) / "tests/models/langid/langid.onnx")
VERBS = ("convert", "inspect", "verify", "run", "validate", "export", "supported-ops", "keygen", "sign", "tokenize")


def on_terminal(words, columns, cwd=None, interrupt_after=None, environment=None, program=EDGECONV, keys=None):
    """Exit code and all that came to a terminal of this width; interrupt_after: bytes after which SIGINT is sent. Also the longest silence in seconds."""
    pid, master = pty.fork()
    if pid == 0:
        if cwd:
            os.chdir(cwd)
        os.environ.pop("COLUMNS", None)
        os.environ.update({"TERM": "xterm", **(environment or {})})
        time.sleep(0.1)  # the terminal has its width then
        os.execvp(program, [program, *words])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    data, last, silence, sent = b"", time.monotonic(), 0.0, False
    while True:
        try:
            ready = select.select([master], [], [], 60)[0]
            part = os.read(master, 65536) if ready else b""
        except OSError:
            part = b""
        if not part:
            break
        silence, last = max(silence, time.monotonic() - last), time.monotonic()
        data += part
        if interrupt_after is not None and len(data) > interrupt_after and not sent:
            if keys:  # as typed: to every process of the terminal
                os.write(master, keys)
            else:
                os.kill(pid, signal.SIGINT)
            sent = True
    _, status = os.waitpid(pid, 0)
    os.close(master)
    return os.waitstatus_to_exitcode(status), data.decode("utf-8", "replace").replace("\r\n", "\n"), silence


def drawn(text):
    """What stood in a line at any time: between returns of the carriage and line feeds, without erasing."""
    return [part.replace("\033[K", "") for part in re.split(r"[\r\n]", text)]


class Terminal(unittest.TestCase):
    def test_help_fits(self):
        for columns in (40, 61, 80, 100):
            for verb in VERBS + ("",):
                code, text, _ = on_terminal(["help", verb] if verb else ["help"], columns)
                self.assertEqual(code, 0)
                self.assertLessEqual(max(map(len, text.split("\n"))), columns, verb)
                self.assertNotIn("\033", text)

    def test_progress_stays_in_its_line(self):
        for columns in (24, 40, 80):
            with tempfile.TemporaryDirectory() as folder:
                code, text, silence = on_terminal([MODEL, "-o", "m.ert"], columns, folder)
                self.assertEqual(code, 0, text)
                bars = [line for line in drawn(text[:text.index("model     ")]) if " %" in line]  # the summary follows
                self.assertGreater(len(bars), 3)
                self.assertLess(max(map(len, bars)), columns)
                self.assertLess(silence, 5, "something moves")
                self.assertRegex(text, r"^[^\n]*\r\033\[Kmodel     ", "one line, and gone at the end")

    def test_progress_of_validate_stays_in_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([EDGECONV, MODEL, "-q", "-o", folder + "/m.ert"], capture_output=True, timeout=240, check=True)
            words = ["validate", MODEL, "m.ert"]
            for columns in (24, 40, 80):
                code, text, silence = on_terminal(words, columns, folder)
                self.assertEqual(code, 0, text)
                bars = [line for line in drawn(text) if re.match(r"(\[.*\])? *\d+ % ", line)]
                self.assertGreater(len(bars), 1, text)
                self.assertLess(max(map(len, bars)), columns)
                self.assertLess(silence, 5, "something moves")
            done = subprocess.run([EDGECONV, *words], cwd=folder, capture_output=True, text=True, timeout=240, check=True)
            self.assertNotIn("\r", done.stderr)

    def test_progress_of_scripts_stays_in_its_line(self):
        sourced = f". '{SOURCE}/toolchains/build_progress.sh'; "
        build = sourced + "build_with_progress log bash -c 'sleep 2.2; for i in 1 2 3; do echo \"[$i/3] Building\"; sleep 1.2; done'"
        tests = sourced + ("tests_with_progress log bash -c 'echo \"      Start  1: some_test\"; sleep 2.2;"
                           " echo \" 1/2 Test  #1: some_test_of_a_long_name ..............   Passed    2.20 sec\";"
                           " echo \" 2/2 Test  #2: bad_test ..............***Failed    0.10 sec\"; exit 8'")
        for columns in (12, 40, 80):
            with tempfile.TemporaryDirectory() as folder:
                code, text, silence = on_terminal(["-euc", build], columns, folder, program="bash")
                self.assertEqual(code, 0, text)
                self.assertLess(max(map(len, drawn(text))), columns, text)
                self.assertEqual(text.count("\n"), 1, text)
                self.assertLess(silence, 2, "something moves")
                code, text, silence = on_terminal(["-euc", tests], columns, folder, program="bash")
                self.assertEqual(code, 8, text)
                whole = [line for line in drawn(text) if line.startswith(" 2/2")]
                self.assertEqual(len(whole), 1, "a test that fails is shown whole")
                self.assertLess(max(len(line) for line in drawn(text) if line not in whole), columns, text)
                self.assertIn("[1/2]"[:columns - 3], text)
                self.assertEqual(text.count("\n"), 1, text)
                self.assertLess(silence, 2, "something moves")
                self.assertIn("Passed", pathlib.Path(folder, "log").read_text())
                piped = subprocess.run(["bash", "-euc", tests], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((piped.returncode, piped.stderr), (8, ""))
                self.assertIn("Passed", piped.stdout)

    def test_interrupted_scripts_say_one_line(self):
        words = f". '{SOURCE}/toolchains/build_progress.sh'; build_with_progress log bash -c 'echo \"[1/9] x\"; sleep 20'"
        with tempfile.TemporaryDirectory() as folder:
            code, text, _ = on_terminal(["-euc", words], 80, folder, interrupt_after=10, program="bash", keys=b"\x03")
            self.assertEqual(code, 130, text)
            self.assertEqual(text.count("Interrupted. "), 1, text)

    def test_silent_without_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([EDGECONV, MODEL, "-q", "-o", folder + "/m.ert"], capture_output=True, text=True, timeout=240, check=True)
            self.assertEqual(done.stdout, "")
            self.assertTrue(all(line.startswith("warning: ") for line in done.stderr.splitlines()), done.stderr)
            code, text, _ = on_terminal([MODEL, "-o", folder + "/m.ert"], 80, environment={"TERM": "dumb"})
            self.assertEqual(code, 0)
            self.assertNotIn("\033", text, "a terminal that cannot erase")

    def test_interrupted(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text, _ = on_terminal([MODEL, "-o", "m.ert"], 80, folder, interrupt_after=10)
            self.assertEqual(code, 130)
            self.assertTrue(text.endswith("\033[Kerror: interrupted; nothing was written\n"), text[-200:])
            self.assertEqual(text.count("\n"), 1, text)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
