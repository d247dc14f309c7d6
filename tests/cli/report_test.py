#!/usr/bin/env python3
"""--report: the JSON is the document of --json, the page is well-formed, complete and needs nothing from elsewhere.

usage: report_test.py EDGECONV SOURCE_FOLDER
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EDGECONV, SOURCE = sys.argv[1:3]
FIXTURES = pathlib.Path(SOURCE) / "tests/fixtures"
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(html.parser.HTMLParser):
    """Checks that elements are closed in order, and collects what the checks below ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.loads, self.parts = [], [], [], [], {}
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag, _ in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.loads += [value for key, value in attributes.items() if key in ("src", "href", "data", "action", "srcset")]
        if tag not in VOID:
            self.open.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:] or 'nothing'} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            tag, name = self.open[-1]
            self.parts[name or tag] = self.parts.get(name or tag, "") + data


def convert(folder, model, *options):
    page, report = folder / "report.html", folder / "report.json"
    done = subprocess.run([EDGECONV, str(model), "-o", str(folder / "m.ert"), "--json", "--report", str(page), "--report", str(report), *options],
                          capture_output=True, text=True, timeout=240, check=True)
    return json.loads(done.stdout), json.loads(report.read_text()), page.read_text(encoding="utf-8")


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.shown, cls.report, cls.text = convert(cls.folder, FIXTURES / "bert_base_ts14/model.onnx")
        cls.page = Page(cls.text)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_one_document(self):
        self.assertEqual(self.shown, self.report)
        self.assertEqual(json.loads(self.page.parts["report"]), self.report, "the page carries it whole")

    def test_page_is_well_formed(self):
        self.assertEqual(self.page.faults, [])
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))
        # The script asks for elements by name; each must be there.
        asked = set(re.findall(r'\bat\("([\w-]+)"\)', self.page.parts["script"]))
        self.assertGreater(len(asked), 5)
        self.assertEqual(asked - set(self.page.ids), set())
        self.assertTrue(Page("<p><b></p></b>").faults, "the checker can fail")

    def test_page_needs_nothing_else(self):
        self.assertEqual(self.page.loads, [])
        for way in ("http", "//", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
            code = re.sub(r"^\s*//.*$", "", self.page.parts["script"], flags=re.M) + self.page.parts["style"]
            self.assertNotIn(way, code)
        self.assertNotIn("http", self.text)

    def test_layers(self):
        layers = self.report["layer_table"]
        self.assertEqual(len(layers), sum(self.report["layers"].values()))
        self.assertGreater(len(layers), 8)
        for layer in layers:
            self.assertIn(layer["name"], self.text)
            self.assertTrue(layer["why"])
            for key in ("local_sqnr_db", "accumulated_sqnr_db", "weight_sqnr_db"):
                self.assertTrue(15 < layer[key] < 80, (key, layer))
            self.assertGreaterEqual(layer["outlier_index"], 1)
            self.assertGreater(layer["largest_input"], 0)
            self.assertTrue(-1 < layer["smoothing_exponent"] < 2, layer)
        local = [layer["local_sqnr_db"] for layer in layers]
        self.assertEqual(local, sorted(local), "worst first")

    def test_columns_are_keys_of_the_report(self):
        layer, output, step = self.report["layer_table"][0], self.report["outputs"][0], self.report["ladder"][0]
        for letter, row in (("l", layer), ("o", output), ("s", step)):
            used = set(re.findall(rf"\b{letter}\.(\w+)", self.page.parts["script"])) - {"k", "n"} if letter == "l" else \
                set(re.findall(rf"\b{letter}\.(\w+)", self.page.parts["script"]))
            self.assertTrue(used)
            self.assertEqual(used - set(row), set())

    def test_timeline(self):
        timeline = self.report["memory_timeline"]
        self.assertEqual(len(timeline["steps"]), self.report["ops"])
        peak = max(step["live_bytes"] for step in timeline["steps"])
        self.assertGreater(peak, 0)
        self.assertLessEqual(peak, timeline["slot_bytes"])
        self.assertEqual(timeline["slot_bytes"] + timeline["other_bytes"], timeline["arena_bytes"])
        self.assertEqual(timeline["arena_bytes"], self.report["memory"][-1]["arena_bytes"], "both at the largest dims")

    def test_ladder_ends_with_what_was_chosen(self):
        self.assertEqual({key: self.report["ladder"][-1][key] for key in ("int8", "w8a16", "w12a13", "fp32")}, self.report["layers"])
        self.assertGreaterEqual(self.report["ladder"][-1]["worst_cosine"], self.report["target_cosine"])

    def test_references_are_named(self):
        self.assertEqual(self.report["reference"], "the fp32 model")
        for model, words in (("mlp_bn_ts14__static_qdq", "dequantized"), ("txtai_pooling__quantized", "dequantized")):
            _, report, _ = convert(self.folder, FIXTURES / model / "model.onnx")
            self.assertIn(words, report["reference"])

    def test_forced_precision(self):
        _, report, _ = convert(self.folder, FIXTURES / "mlp_ts13/model.onnx", "--precision", "w8a16")
        self.assertEqual(report["ladder"], [])
        self.assertEqual({layer["why"] for layer in report["layer_table"]}, {"all layers are w8a16"})

    def refused(self, code, *options):
        """stderr, report and page of a conversion that must write nothing else."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            blob, page, report = folder / "m.ert", folder / "r.html", folder / "r.json"
            done = subprocess.run([EDGECONV, str(FIXTURES / "mlp_ts13/model.onnx"), "-o", str(blob), "--report", str(page), "--report",
                                   str(report), *options], capture_output=True, text=True, timeout=240, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual({path.name for path in folder.iterdir()}, {"r.html", "r.json"}, "no blob")
            self.assertIn(f"only the report was written: {page}, {report}", done.stderr)
            return done.stderr, json.loads(report.read_text()), page.read_text(encoding="utf-8")

    def test_missed_gates_are_reported(self):
        for options, word in ((["--precision", "int8", "--max-loss", "1e-9"], "below the gate of 0.999999999"),
                              (["--precision", "fp32", "--max-slowdown", "2"], "--max-slowdown allows 2"),
                              (["--max-bytes", "100"], "--max-bytes allows 100")):
            said, report, text = self.refused(7, *options)
            self.assertIs(report["passed"], False)
            self.assertIn(word, report["refusal"]["what"])
            self.assertIn(report["refusal"]["what"], said)
            self.assertIn(report["refusal"]["advice"], said)
            self.assertEqual(report.keys(), self.report.keys(), "complete")
            page = Page(text)
            self.assertEqual(page.faults, [])
            self.assertEqual(json.loads(page.parts["report"]), report)
            self.assertIn("Not passed", page.parts["script"])
        self.assertIs(self.report["passed"], True)
        self.assertIsNone(self.report["refusal"])

    def test_missed_limits_are_reported(self):
        for limit in ("--flash-limit", "--arena-limit"):
            _, report, _ = self.refused(5, limit, "100")
            self.assertIs(report["passed"], False)
            self.assertIn(f"{limit} allows 100", report["refusal"]["what"])

    def test_names_cannot_leave_their_place(self):
        # A model whose output is called so that it would end the script element.
        model = (FIXTURES / "mlp_ts13/model.onnx").read_bytes()
        name = b"</script><"
        names = {layer["name"] for layer in convert(self.folder, FIXTURES / "mlp_ts13/model.onnx")[1]["layer_table"]}
        old = next(n for n in names if len(n) >= len(name)).encode()
        hostile = self.folder / "hostile.onnx"
        hostile.write_bytes(model.replace(old, name + old[len(name):]))
        _, report, text = convert(self.folder, hostile)
        self.assertTrue(any("</script>" in layer["name"] for layer in report["layer_table"]))
        page = Page(text)
        self.assertEqual(page.faults, [])
        self.assertEqual(json.loads(page.parts["report"]), report)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
