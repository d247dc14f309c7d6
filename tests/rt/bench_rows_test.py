#!/usr/bin/env python3
"""ert-bench's tables of several blobs, thread counts and repetitions, and what it says of a run of before.

usage: bench_rows_test.py ERT_BENCH WRITE_SMALL_BLOB
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BENCH, WRITER = sys.argv[1:3]
SWEEP = ("--shape", "batch=1:2:8", "--warmup", "1", "--runs", "6")


def bench(*args):
    return subprocess.run([BENCH, *map(str, args)], capture_output=True, text=True, timeout=60)


class Rows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.blob, self.other = self.dir / "small.ert", self.dir / "other.ert"
        for blob in (self.blob, self.other):
            subprocess.run([WRITER, blob], check=True)

    def json(self, *args):
        done = bench(*args, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_blobs_shapes_and_threads_make_one_table(self):
        args = (self.blob, self.other, "--threads", "1,2", *SWEEP)
        rows = self.json(*args)["results"]
        self.assertEqual([(pathlib.Path(r["blob"]).name, r["dims"]["batch"], r["threads"]) for r in rows],
                         [(b, n, t) for b in ("small.ert", "other.ert") for n in (1, 2, 8) for t in (1, 2)])
        table = bench(*args).stdout.splitlines()
        head = next(i for i, line in enumerate(table) if line.startswith("blob"))
        self.assertEqual([line.split()[:3] for line in table[head + 1:head + 13]],
                         [[b, f"batch={n}", str(t)] for b in ("small.ert", "other.ert") for n in (1, 2, 8) for t in (1, 2)])
        markdown = [line for line in bench(*args, "--format", "markdown").stdout.splitlines() if line.startswith("|")]
        self.assertEqual(len(markdown), 14)
        self.assertEqual({line.count("|") for line in markdown}, {markdown[0].count("|")})
        self.assertEqual(len(list(csv.DictReader(bench(*args, "--format", "csv").stdout.splitlines()))), 12)

    def test_a_wrong_dim_names_the_blob(self):
        done = bench(self.blob, self.other, "--shape", "batch=9")
        self.assertEqual(done.returncode, 2)
        self.assertIn("small.ert: --shape: dim 'batch' is 9", done.stderr)

    def test_repetitions(self):
        report = self.json(self.blob, *SWEEP, "--repetitions", 3)
        self.assertEqual(report["repetitions"], 3)
        self.assertEqual(len(report["clock_loop_us"]), 4)
        for r in report["results"]:
            parts = sorted(r["repetition_p50_us"])
            self.assertEqual(len(parts), 3)
            self.assertTrue(r["min_us"] <= parts[0] and parts[2] <= r["max_us"], r)
            self.assertAlmostEqual(r["spread"], (parts[2] - parts[0]) / 2 / parts[1], delta=0.002 / parts[1] + 1e-5)
        # A part has two runs or more.
        self.assertEqual(self.json(self.blob, "--runs", 2, "--repetitions", 9)["repetitions"], 1)
        self.assertEqual(self.json(self.blob, "--runs", 7, "--repetitions", 9)["repetitions"], 3)

    def test_sequences_per_second(self):
        for r in self.json(self.blob, *SWEEP)["results"]:
            self.assertAlmostEqual(r["sequences_per_second"] * r["p50_us"] / 1e6 / r["dims"]["batch"], 1, delta=0.001 / r["p50_us"] + 1e-3)

    def test_compare_with_itself_and_with_other_times(self):
        old = self.json(self.blob, *SWEEP)
        path = self.dir / "old.json"
        for factor, word in ((100, "faster"), (0.01, "slower")):
            changed = json.loads(json.dumps(old))
            for r in changed["results"]:
                r["p50_us"] *= factor
                r["spread"] = 0.01
            path.write_text(json.dumps(changed))
            done = bench(self.other, *SWEEP, "--compare", path)  # one blob against one: the name may differ
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"(?m)^{word}: ")
            rows = self.json(self.blob, *SWEEP, "--compare", path)["comparison"]["rows"]
            self.assertEqual([r["verdict"] for r in rows], [word] * 3)
            self.assertEqual({r["same_bits"] for r in rows}, {True})
            gate = bench(self.blob, *SWEEP, "--compare", path, "--fail-above", 50)
            self.assertEqual(gate.returncode, 7 if word == "slower" else 0)
        for r in old["results"]:
            r["spread"] = 1e6  # noise that explains everything
        path.write_text(json.dumps(old))
        self.assertRegex(bench(self.blob, *SWEEP, "--compare", path).stdout, r"(?m)^same: 0 faster, 0 slower, 3 the same")

    def test_compare_says_what_is_another(self):
        old = self.json(self.blob, *SWEEP)
        old["cpu"], old["clock_loop_us"] = "Z80", [us * 3 for us in old["clock_loop_us"]]
        old["results"] = old["results"][1:]
        old["results"][0]["output_crc"] = "00000000"
        old["results"].append({**old["results"][0], "threads": 7})
        path = self.dir / "old.json"
        path.write_text(json.dumps(old))
        done = bench(self.blob, *SWEEP, "--compare", path)
        for text in ("another CPU: Z80", "the clock is not what it was"):
            self.assertIn(text, done.stderr)
        for text in ("other outputs", "1 row is in", "1 row is new"):
            self.assertIn(text, done.stdout)

    def test_compare_refuses(self):
        old = self.json(self.blob, *SWEEP)
        path = self.dir / "old.json"
        for text, code in (("", 3), ("[]", 3), ('{"schema": "ert-bench", "schema_version": 1}', 3), ('{"schema": 7}', 3),
                           (json.dumps({**old, "results": [{"p50_us": "fast"}]}), 3), (json.dumps({**old, "results": []}), 2)):
            path.write_text(text)
            done = bench(self.blob, *SWEEP, "--compare", path)
            self.assertEqual((done.returncode, done.stdout), (code, ""), (text[:50], done.stderr))
            self.assertIn(str(path), done.stderr)
        self.assertEqual(bench(self.blob, "--compare", self.dir / "absent.json").returncode, 6)
        self.assertEqual(bench(self.blob, "--fail-above", 5).returncode, 2)

    def test_plot(self):
        for name, args in (("p.svg", ()), ("p.html", (self.other, "--threads", "1,2"))):
            done = bench(self.blob, *args, *SWEEP, "--plot", self.dir / name)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (self.dir / name).read_text()
            self.assertNotRegex(text, r"(?i)<script|(src|href)=")
            svg = xml.etree.ElementTree.fromstring(re.search(r"(?s)<svg.*</svg>", text).group())
            space = "{http://www.w3.org/2000/svg}"
            marks = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter(space + "circle")]
            self.assertEqual(len(marks), 3 if name == "p.svg" else 12)
            filled = [p for g in [svg, *svg.iter(space + "g")] if g.get("fill") != "none" for p in g.findall(space + "path")
                      if p.get("fill") != "none" and p.get("d").count("h") == 0]
            self.assertEqual(filled, [])  # a path without fill="none" is a black area
            width, height = map(float, svg.get("viewBox").split()[2:])
            self.assertTrue(all(0 < x < width and 0 < y < height for x, y in marks), marks)
            self.assertTrue(all(c.find(space + "title").text for c in svg.iter(space + "circle")))
        self.assertIn("<table>", text)

    def test_plot_refuses(self):
        for args, word in (((*SWEEP, "--plot", self.dir / "p.png"), "FILE.svg"), (("--plot", self.dir / "p.svg"), "--shape")):
            done = bench(self.blob, *args)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(word, done.stderr)
        done = bench(self.blob, *SWEEP, "--plot", self.dir / "absent" / "p.svg")
        self.assertEqual((done.returncode, done.stdout), (6, ""), "asked before anything is measured")
        self.assertIn("absent", done.stderr)

    def test_words(self):
        self.assertRegex(bench("--version").stdout, r"^ert-bench \d+\.\d+\.\d+\n$")
        for wrong, meant in (("--threds", "--threads"), ("--formt", "--format"), ("--verison", "--version"), ("--comapre", "--compare")):
            done = bench(self.blob, wrong, "1")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"did you mean '{meant}'", done.stderr)
        for threads in ("1,1", "0", "1,", "two", "1,257"):
            done = bench(self.blob, "--threads", threads)
            self.assertEqual(done.returncode, 2, threads)
            self.assertIn("such as 1,2,4", done.stderr)
        for format, words in (("xml", "'xml' is not table, markdown, csv or json"), ("jsn", "did you mean 'json'?")):
            done = bench(self.blob, "--format", format)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        self.assertIn("'0' is not a number from 1 to 100000000", bench(self.blob, "--runs", "0").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
