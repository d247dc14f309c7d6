#!/usr/bin/env python3
"""Manual pages say what --help says, of every verb and of ert-bench; groff reads them. Completions have all options; their shells read them.

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

    def test_verbs_end_where_the_next_group_begins(self):
        sys.path.insert(0, f"{SOURCE}/toolchains/package")
        from manual import verbs_of
        self.assertEqual(verbs_of("\nVerbs:\n  convert    an ONNX model\n               to a blob\n  run   a blob\nExample:\n  edgeconv model.onnx\n"), ["convert", "run"])
        self.assertEqual(verbs_of(said(EDGECONV, "--help")), verbs_of(re.sub(r"\n\n", "\n", said(EDGECONV, "--help"))))

    def test_bash_completes_options_of_ert_bench(self):
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", said(BENCH, "--help")))
        self.assertIn("--shape", options)
        script = f"source {self.folder.name}/ert-bench.bash; COMP_WORDS=(ert-bench m.ert --); COMP_CWORD=2; _ert_bench; echo ${{COMPREPLY[@]}}"
        self.assertEqual(set(said("bash", "-c", script).split()), options)
        for option in options:
            self.assertIn(f" {option} ", pathlib.Path(self.folder.name, "_ert-bench").read_text())
            self.assertIn(f"-l {option[2:]}\n", pathlib.Path(self.folder.name, "ert-bench.fish").read_text())

    @unittest.skipUnless(shutil.which("zsh") and shutil.which("fish"), "zsh and fish are not both installed")
    def test_zsh_and_fish_read_their_completions(self):
        for program in ("edgeconv", "ert-bench"):
            for shell, name in (("zsh", f"_{program}"), ("fish", f"{program}.fish"), ("bash", f"{program}.bash")):
                done = subprocess.run([shell, "-n", f"{self.folder.name}/{name}"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

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
