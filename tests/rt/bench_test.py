#!/usr/bin/env python3
"""ert-bench from outside: exit codes, the JSON that other scripts read, equal results on every level and thread count.

usage: bench_test.py ERT_BENCH WRITE_SMALL_BLOB
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH, WRITER = sys.argv[1:3]


def bench(*args):
    return subprocess.run([BENCH, *map(str, args)], capture_output=True, text=True, timeout=60)


class ErtBench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        self.blob = self.dir / "small.ert"
        subprocess.run([WRITER, self.blob], check=True)

    def results(self, *args):
        done = bench(self.blob, "--json", "--warmup", 1, "--runs", 3, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_text_file_needs_a_tokenizer(self):
        texts = self.dir / "texts.txt"
        texts.write_text("one\n")
        done = bench(self.blob, "--text-file", texts)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--tokenizer", done.stderr)
        self.assertEqual(bench(self.blob, "--labels", "a").returncode, 2)
        self.assertEqual(bench(self.blob, "--text-file", texts, "--shape", "batch=1").returncode, 2)

    def test_json(self):
        report = self.results("--shape", "batch=1", "--shape", "batch=8", "--threads", 1)
        self.assertEqual(report["schema_version"], 1)
        self.assertEqual([r["dims"] for r in report["results"]], [{"batch": 1}, {"batch": 8}])
        for key in ("cpu", "compiler", "blob_crc", "isa_available", "open_us"):
            self.assertIn(key, report)
        for r in report["results"]:
            self.assertEqual(r["threads"], 1)
            self.assertIn(r["isa"], report["isa_available"])
            self.assertLessEqual(0, r["min_us"])
            self.assertTrue(r["min_us"] <= r["p50_us"] <= r["p90_us"] <= r["p99_us"] <= r["max_us"], r)
            self.assertGreater(r["arena_bytes"], 0)

    def test_sweep(self):
        dims = [r["dims"]["batch"] for r in self.results("--shape", "batch=1:4:2", "--shape", "batch=8")["results"]]
        self.assertEqual(dims, [1, 4, 2, 8])

    def test_csv_says_the_same_as_json(self):
        args = ("--shape", "batch=1:8", "--isa", "ref")
        done = bench(self.blob, "--csv", "--warmup", 1, "--runs", 3, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        report = self.results(*args)
        self.assertEqual(len(rows), 2)
        for row, result in zip(rows, report["results"]):
            for key in ("blob", "blob_crc", "cpu", "compiler"):
                self.assertEqual(row[key], report[key])
            for key in ("threads", "isa", "arena_bytes", "macs", "output_crc"):
                self.assertEqual(row[key], str(result[key]))
            self.assertEqual(row["dims"], f'batch={result["dims"]["batch"]}')
            self.assertEqual((row["warmup"], row["runs"]), ("1", "3"))
            times = [float(row[key]) for key in ("min_us", "p50_us", "p90_us", "p99_us", "max_us")]
            self.assertEqual(times, sorted(times))

    def test_csv_of_a_profile_has_a_row_per_op(self):
        done = bench(self.blob, "--csv", "--profile", "--runs", 2, "--shape", "batch=1:2")
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual([(r["dims"], r["op"], r["name"]) for r in rows],
                         [(f"batch={b}", str(i), f"node_{i}") for b in (1, 2) for i in range(4)])
        self.assertTrue(all(float(r["us"]) >= 0 for r in rows))

    def test_csv_quotes_what_needs_it(self):
        odd = self.dir / 'a,"b".ert'
        odd.write_bytes(self.blob.read_bytes())
        row, = csv.DictReader(bench(odd, "--csv", "--runs", 1).stdout.splitlines())
        self.assertEqual(row["blob"], str(odd))

    def test_default_shape_is_the_largest(self):
        self.assertEqual(self.results()["results"][0]["dims"], {"batch": 8})

    def test_same_bits_everywhere(self):
        crcs = set()
        for isa in self.results()["isa_available"]:
            for threads in (1, 3):
                r = self.results("--shape", "batch=7", "--isa", isa, "--threads", threads)["results"][0]
                self.assertEqual((r["isa"], r["threads"]), (isa, threads))
                crcs.add(r["output_crc"])
        self.assertEqual(len(crcs), 1)
        self.assertNotEqual(crcs, {self.results("--shape", "batch=6")["results"][0]["output_crc"]})

    def test_profile(self):
        ops = self.results("--profile")["results"][0]["ops"]
        self.assertEqual([op["name"] for op in ops], ["node_0", "node_1", "node_2", "node_3"])
        said = bench(self.blob, "--profile", "--runs", 1).stdout
        self.assertIn("Unary", said)
        self.assertIn("batch=8 1 thread\n", said)

    def test_shape_of_a_model_without_dims(self):
        fixed = self.dir / "fixed.ert"
        subprocess.run([WRITER, fixed, "fixed"], check=True)
        self.assertEqual(bench(fixed, "--runs", 1).returncode, 0)
        done = bench(fixed, "--shape", "batch=1")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "ert-bench: --shape: the model has no dim 'batch' (all its sizes are fixed: leave --shape out)\n"))

    def test_more_threads_than_cores_are_warned_of(self):
        few, many = (bench(self.blob, "--threads", n, "--runs", 1) for n in (1, len(os.sched_getaffinity(0)) + 1))
        self.assertEqual(few.returncode, 0)
        self.assertNotIn("cores", few.stderr)
        self.assertEqual(many.returncode, 0)
        self.assertIn("warning", many.stderr)
        self.assertIn("cores", many.stderr)

    def test_cores_that_a_process_is_bound_to_are_counted(self):
        first = min(os.sched_getaffinity(0))
        done = subprocess.run([BENCH, self.blob, "--threads", "2", "--runs", "1"], capture_output=True, text=True, timeout=60, check=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, {first}))
        self.assertIn("warning: 2 threads on 1 core that this process may use", done.stderr)

    def test_exit_codes(self):
        damaged = self.dir / "damaged.ert"
        data = bytearray(self.blob.read_bytes())
        data[-1] ^= 1
        damaged.write_bytes(data)
        text = self.dir / "text.ert"
        text.write_bytes(b"not a blob" * 20)
        empty = self.dir / "empty.ert"
        empty.write_bytes(b"")
        available = self.results()["isa_available"]
        missing = next(i for i in ("mve", "dsp", "i8mm", "avx2") if i not in available)
        for expected, args in [
            (0, ["--help"]),
            (2, []),
            (2, [self.blob, "--no-such-flag"]),
            (2, [self.blob, "--shape", "batch"]),
            (2, [self.blob, "--shape", "batch=0"]),
            (2, [self.blob, "--shape", "batch=2x"]),
            (2, [self.blob, "--shape", "batch=2:"]),
            (2, [self.blob, "--shape", "batch=2,batch=3"]),
            (2, [self.blob, "--shape", "batch=2:9"]),
            (2, [self.blob, "--json", "--csv"]),
            (2, [self.blob, "--shape", "nobody=2"]),
            (2, [self.blob, "--shape", "batch=9"]),
            (2, [self.blob, "--isa", "nothing"]),
            (2, [self.blob, "--threads", "0"]),
            (3, [text]),
            (3, [empty]),
            (4, [self.blob, "--isa", missing]),
            (6, [self.dir / "absent.ert"]),
            (6, [self.dir]),
            (8, [damaged]),
        ]:
            done = bench(*args)
            self.assertEqual(done.returncode, expected, (args, done.stderr))
            if "batch=9" in args:
                self.assertIn("'batch' is 9, the blob allows 1 to 8", done.stderr)
            for wrong, words in (("text.ert", "give the .ert file"), ("damaged.ert", "copy it again"), (missing, "there are ref")):
                if expected in (3, 4, 8) and str(args[-1]).endswith(wrong):
                    self.assertIn(words, done.stderr)
            if expected != 0:
                self.assertEqual(done.stdout, "", args)
                self.assertNotEqual(done.stderr, "", args)

    def test_a_full_disk_is_named(self):
        for args in ((self.blob, "--runs", "1"), (self.blob, "--runs", "1", "--json"), ("--help",)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([BENCH, *map(str, args)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 6, args)
            self.assertIn("cannot write to standard output: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
