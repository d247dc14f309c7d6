#!/usr/bin/env python3
"""Manual pages say what --help says, of every verb and of ert-bench; groff reads them.

usage: manual_test.py EDGECONV ERT_BENCH SOURCE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EDGECONV, BENCH, SOURCE = sys.argv[1:4]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={"COLUMNS": "80"}).stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([sys.executable, f"{SOURCE}/toolchains/package/manual.py", EDGECONV, "1.2.3", cls.folder.name, BENCH], check=True)
        cls.pages = {path.name: path for path in pathlib.Path(cls.folder.name, "man1").iterdir()}

    def test_a_page_for_every_verb_and_ert_bench(self):
        verbs = re.search(r"Verbs: (.*), help", subprocess.run([EDGECONV], capture_output=True, text=True).stderr).group(1).split(", ")
        self.assertIn("tokenize", verbs)
        self.assertEqual(set(self.pages), {"edgeconv.1", "ert-bench.1", *(f"edgeconv-{v}.1" for v in verbs)})
        for verb in verbs:
            self.assertIn(f"edgeconv\\-{verb}".replace("supported-ops", "supported\\-ops"), self.pages["edgeconv.1"].read_text())
            for completion in ("edgeconv.bash", "_edgeconv", "edgeconv.fish"):
                self.assertIn(verb, pathlib.Path(self.folder.name, completion).read_text())

    def test_pages_have_the_text_of_help(self):
        for name, path in self.pages.items():
            words = name[:-2].split("-", 1)
            command = [BENCH] if name == "ert-bench.1" else [EDGECONV, *words[1:]]
            text = path.read_text().replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
            self.assertIn(said(*command, "--help"), text, name)
            self.assertIn("1.2.3", text)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_reads_them_without_a_word(self):
        for path in self.pages.values():
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)
            self.assertIn("\nNAME\n", re.sub(".\\x08", "", done.stdout))  # bold is a letter over itself


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
