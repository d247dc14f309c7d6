#!/usr/bin/env python3
"""Real --json output of every command against the JSON Schema documents: what is printed must be described, what is required must
be printed.

usage: json_schemas_test.py EDGECONV ERT_BENCH SOURCE_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EDGECONV, BENCH, SOURCE = sys.argv[1:4]
SCHEMAS = pathlib.Path(SOURCE) / "convert/cli/json_schemas"
MODEL = str(pathlib.Path(SOURCE) / "tests/fixtures/bert_base_ts14/model.onnx")
sys.path.insert(0, str(pathlib.Path(SOURCE) / "tests/checks"))
from json_schema import errors  # noqa: E402


class JsonSchemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.blob = str(pathlib.Path(cls.folder.name) / "m.ert")
        cls.converted = cls.run_json([EDGECONV, MODEL, "-o", cls.blob, "--dim", "batch=2", "--dim", "sequence=16", "--json"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def run_json(command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return json.loads(done.stdout)

    def check(self, value, schema_file):
        schema = json.loads(schema_file.read_text())
        self.assertEqual(errors(value, schema), [])
        return schema

    def test_convert(self):
        schema = self.check(self.converted, SCHEMAS / "convert.schema.json")
        self.assertGreater(len(self.converted["layer_table"]), 0)
        # The checker can fail: a missing key, a wrong type, a key that nobody described.
        broken = dict(self.converted)
        del broken["ops"]
        self.assertEqual(errors(broken, schema), ["$: 'ops' is missing"])
        self.assertEqual(len(errors({**self.converted, "ops": "12"}, schema)), 1)
        self.assertEqual(len(errors({**self.converted, "ops": True}, schema)), 1)
        self.assertEqual(len(errors({**self.converted, "surprise": 1}, schema)), 1)
        self.assertEqual(len(errors({**self.converted, "version": 2}, schema)), 1)

    def test_report_is_the_same_document(self):
        report = pathlib.Path(self.folder.name) / "report.json"
        subprocess.run([EDGECONV, MODEL, "-q", "-o", self.blob + "2.ert", "--report", str(report)], check=True, timeout=120)
        self.check(json.loads(report.read_text()), SCHEMAS / "convert.schema.json")

    def test_answers_of_texts(self):
        # A model whose only input is ids takes text; its logits stand for labels.
        folder = pathlib.Path(self.folder.name) / "text"
        folder.mkdir()
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [chr(97 + i) for i in range(26)] + ["##" + chr(97 + i) for i in range(26)]
        (folder / "vocab.txt").write_text("\n".join(words) + "\n")
        blob = str(folder / "t.ert")
        subprocess.run([EDGECONV, MODEL, "-q", "-o", blob, "--tokenizer", str(folder / "vocab.txt"), "--task", "embed", "--dim", "sequence=16"], check=True, timeout=120)
        done = subprocess.run([EDGECONV, "run", blob, "--json", "--text", "a bad cab", "--text", ""], capture_output=True, text=True, check=True, timeout=120)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            schema = self.check(json.loads(line), SCHEMAS / "run_text.schema.json")
        self.assertNotEqual(errors({**json.loads(lines[0]), "task": "guess"}, schema), [])

    def test_inspect(self):
        self.check(self.run_json([EDGECONV, "inspect", MODEL, "--json"]), SCHEMAS / "inspect_model.schema.json")
        custom = str(pathlib.Path(SOURCE) / "tests/fixtures/custom_op_no_body/model.onnx")
        self.check(self.run_json([EDGECONV, "inspect", custom, "--json"]), SCHEMAS / "inspect_model.schema.json")
        self.check(self.run_json([EDGECONV, "inspect", self.blob, "--json"]), SCHEMAS / "inspect_blob.schema.json")

    def test_validate(self):
        report = self.run_json([EDGECONV, "validate", MODEL, self.blob, "--json"])
        self.check(report, SCHEMAS / "validate.schema.json")
        self.assertEqual({l["name"] for l in report["layers"]}, {l["name"] for l in self.converted["layer_table"]})
        measured = [l["accumulated_sqnr_db"] for l in report["layers"]]
        self.assertEqual(measured, sorted(measured), "worst first")
        self.assertTrue(all(10 < m < 120 for m in measured), measured)
        self.assertEqual(report["certificate"]["state"], "confirmed")

    def test_evidence_is_named_as_reports_name_it(self):
        source = (pathlib.Path(SOURCE) / "convert/measure/decision.cc").read_text()
        names = re.findall(r'return "(.+)";', source[source.index("const char* evidence_name("):source.index("double clipped_probability(")])
        self.assertIn("moves", names)
        for file in ("convert", "validate"):
            schema = json.loads((SCHEMAS / f"{file}.schema.json").read_text())
            self.assertEqual(schema["properties"]["outputs"]["items"]["properties"]["evidence"]["enum"], names, file)

    def test_run_and_verify(self):
        given = [word for name in ("input_ids", "attention_mask", "token_type_ids") for word in ("--input", f"{name}=1,1,1;1,1,0")]
        shown = self.run_json([EDGECONV, "run", self.blob, *given, "--json"])
        schema = self.check(shown, SCHEMAS / "run.schema.json")
        self.assertEqual([o["shape"] for o in shown["outputs"]], [[2, 3, 32], [2, 32]])
        self.assertEqual([len(o["data"]) for o in shown["outputs"]], [192, 64])
        written = self.run_json([EDGECONV, "run", self.blob, *given, "--json", "--out", self.folder.name + "/out"])
        self.check(written, SCHEMAS / "run.schema.json")
        self.assertTrue(all(pathlib.Path(o["file"]).exists() for o in written["outputs"]))
        self.assertEqual(len(errors({**shown, "version": 2}, schema)), 1)
        self.check(self.run_json([EDGECONV, "verify", self.blob, "--json"]), SCHEMAS / "verify.schema.json")

    def test_supported_ops(self):
        listed = self.run_json([EDGECONV, "supported-ops", "--json"])
        schema = self.check(listed, SCHEMAS / "supported_ops.schema.json")
        for row in listed["operators"]:
            self.assertTrue(row["types"], row)
            self.assertLessEqual(row["since"], row["checked_to"], row)
        self.assertEqual({row["runs"] for row in listed["operators"]}, {"fused", "generic", "folded"})
        text = subprocess.run([EDGECONV, "supported-ops"], capture_output=True, text=True, timeout=60, check=True).stdout
        lines = text.splitlines()
        self.assertEqual([line.split()[0] for line in lines if not line.startswith("refused ")],
                         [row["domain"] + "::" + row["op"] for row in listed["operators"]])
        self.assertEqual([line.split()[1] for line in lines if line.startswith("refused ")],
                         [row["domain"] + "::" + row["op"] + ":" for row in listed["refused"]])
        self.assertEqual({row["op"] for row in listed["refused"]} & {row["op"] for row in listed["operators"]}, set())
        broken = {**listed, "operators": [{**listed["operators"][0], "runs": "unknown"}]}
        self.assertEqual(len(errors(broken, schema)), 1)

    def test_every_operator_of_onnx_is_listed_or_refused(self):
        """Trees, RoiAlign and 36 others were in neither list, to which the refusal of a tree sends people."""
        listed = self.run_json([EDGECONV, "supported-ops", "--json"])
        known = {row["op"] for row in listed["operators"] + listed["refused"] if row["domain"] == "ai.onnx"}
        table = (pathlib.Path(SOURCE) / "convert/import/arity.cc").read_text()
        table = table[table.index("kOnnx[]"):table.index("kMicrosoft[]")]
        operators = {name for line in re.findall(r'"([^"]*)"', table) for name in line.split()}
        self.assertGreater(len(operators), 150)
        self.assertEqual(operators - known, set())
        self.assertLessEqual({"TreeEnsemble", "TreeEnsembleClassifier", "SVMClassifier", "LabelEncoder", "ZipMap"},
                             {row["op"] for row in listed["refused"] if row["domain"] == "ai.onnx.ml"})

    def test_bench(self):
        command = [BENCH, self.blob, "--json", "--warmup", "1", "--runs", "2", "--profile", "--shape", "batch=1,sequence=4"]
        self.check(self.run_json(command), pathlib.Path(SOURCE) / "bench/ert_bench.schema.json")

    def test_bench_of_several_blobs_and_a_comparison(self):
        schema = pathlib.Path(SOURCE) / "bench/ert_bench.schema.json"
        command = [BENCH, self.blob, self.blob, "--json", "--runs", "2", "--threads", "1,2", "--shape", "batch=1,sequence=4"]
        found = self.run_json(command)
        self.check(found, schema)
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder) / "old.json"
            old.write_text(json.dumps(found))
            found = self.run_json([*command, "--compare", str(old)])
        self.check(found, schema)
        self.assertEqual((len(found["blobs"]), len(found["results"]), len(found["comparison"]["rows"])), (2, 4, 4))
        self.assertEqual({r["tokens_per_second"] / r["sequences_per_second"] > 3.9 for r in found["results"]}, {True})

    def test_bench_texts(self):
        model = pathlib.Path(SOURCE) / "tests/models/langid"
        with tempfile.TemporaryDirectory() as folder:
            blob, texts = pathlib.Path(folder) / "langid.ert", pathlib.Path(folder) / "texts.txt"
            texts.write_text("Wo ist der Bahnhof?\n\nWhere is the station?\n")
            subprocess.run([EDGECONV, str(model / "langid.onnx"), "--tokenizer", str(model), "-o", str(blob), "-q"], check=True)
            found = self.run_json([BENCH, str(blob), "--json", "--runs", "1", "--text-file", str(texts)])
        self.check(found, pathlib.Path(SOURCE) / "bench/ert_bench.schema.json")
        self.assertEqual((found["texts"]["texts"], found["texts"]["model_runs"], found["results"]), (3, 3, []))

    def test_tokenize(self):
        tokenizer = pathlib.Path(SOURCE) / "tests/text/recorded/roberta/tokenizer.json"
        r = subprocess.run([EDGECONV, "tokenize", str(tokenizer), "--json"], input=b"Hello\n\n", capture_output=True, check=True)
        for line in r.stdout.decode().splitlines():
            self.check(json.loads(line), SCHEMAS / "tokenize.schema.json")
        self.assertEqual(len(r.stdout.splitlines()), 2)

    def test_every_schema_is_used_here(self):
        names = {p.name for p in SCHEMAS.glob("*")}
        source = pathlib.Path(__file__).read_text()
        self.assertEqual({n for n in names if n not in source}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
