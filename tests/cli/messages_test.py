#!/usr/bin/env python3
"""Every message of exit 2, 3, 4 and 5 that other tests provoke names what and where, why, and what to do.

usage: messages_test.py LIST TEST_PROGRAM...   (LIST: file to write all of them to, for people to read)
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIST, *PROGRAMS = sys.argv[1:]
# Of cli_test, which has hundreds.
FILTER = "*Refus*:*refus*:*Usage*:*BadInput*:*Commands*:*Values*:*Pinning*:*Calib*"
# What: an option, a quoted name, a file, a node or an input.
PLACE = re.compile(r"--[a-z]|'[^']+'|\.(onnx|ert|npz|npy|json|pem)|node |input |dim |operator|\bx\d+  first:|argument|text|tokenizer|-o\b|\bmodel|graph|the blob|IR version|initializer|the maxima")
# What to do: an imperative, the word that was meant, or what is right instead.
ACTION = re.compile(r"hint:|did you mean|--help|(?i:\b(give|use|write|convert|export|name|add|say|expected|allow|choose|close|remove|copy|fetch|pass|set|run|simplify|leave"
                    r"|make|save|check|raise)\b)|must (be|have)|it has|has:|wants|model has|allows|from \d+ to")


def messages():
    """{(exit code, message): command} of all that the test programs made edgeconv say."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, program in enumerate(PROGRAMS):
            record = pathlib.Path(folder, str(i))
            tests = FILTER if pathlib.Path(program).name == "cli_test" else "*"
            subprocess.run([program, f"--gtest_filter={tests}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "EDGECONV_MESSAGES": str(record)}, timeout=500)
            if not record.exists():
                sys.exit(f"{program}: no test of it calls edgeconv")
            for entry in record.read_text(errors="replace").split("\x1d")[:-1]:
                command, _, said = entry.partition("\x1e")
                code, *words = command.split("\x1f")
                if code in ("2", "3", "4", "5"):
                    found.setdefault((code, re.sub(r"/tmp/edgeconv-test-\w+/", "", said)), words)
    return found


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = messages()
        pathlib.Path(LIST).write_text("".join(f"exit {code}: {said}" for code, said in cls.found))

    def test_all_kinds_are_there(self):
        codes = [code for code, _ in self.found]
        for code, least in (("2", 100), ("3", 25), ("4", 10), ("5", 1)):
            self.assertGreaterEqual(codes.count(code), least, code)

    def test_each_says_what_and_what_to_do(self):
        for (code, said), words in self.found.items():
            with self.subTest(exit=code, command=words[:6]):
                self.assertRegex(said, r"(^|\n)(error|usage): ")
                self.assertRegex(said, PLACE)
                self.assertRegex(said, ACTION)
                self.assertGreaterEqual(len(said.split()), 7, "no reason has room in it")
                self.assertNotIn("internal error", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
