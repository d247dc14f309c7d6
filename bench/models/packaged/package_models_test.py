"""What package_models.py makes of figures, reports and messages; nothing is fetched or converted for this. Feeds are
tested where NumPy is."""
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import catalog
import convert
import fetch
import table
import timing
import verdict


def sums(wanted, found, **more):
    """The plain sums of two lists."""
    return verdict.Sums(len(wanted), sum(a * b for a, b in zip(found, wanted)), sum(b * b for b in wanted), sum(a * a for a in found),
                        sum((a - b) ** 2 for a, b in zip(found, wanted)), max(abs(a - b) for a, b in zip(found, wanted)), max(map(abs, wanted)),
                        sum(a == b for a, b in zip(found, wanted)), **more)


class Figures(unittest.TestCase):
    def test_cosine_and_ratio(self):
        same = verdict.figures(sums([3.0, 4.0], [3.0, 4.0]))
        self.assertEqual((same.cosine, same.sqnr_db, same.agreement), (1.0, verdict.EXACT_DB, 1.0))
        turned = verdict.figures(sums([3.0, 4.0], [-4.0, 3.0]))
        self.assertEqual((turned.cosine, turned.agreement, turned.largest_error), (0.0, 0.0, 7.0))
        self.assertAlmostEqual(verdict.figures(sums([10.0, 0.0], [9.0, 0.0])).sqnr_db, 20.0)

    def test_nothing_is_no_agreement(self):
        self.assertEqual(verdict.figures(verdict.Sums(wrong="shape (1,) instead of (2,)")).cosine, 0.0)
        zero = verdict.figures(sums([0.0, 0.0], [0.0, 0.1]))
        self.assertEqual((zero.cosine, zero.sqnr_db, zero.note), (0.0, -verdict.EXACT_DB, "reference is zero"))

    def test_probabilities_by_their_logits(self):
        row = {"logits": 4, "logit_error": 0.04}
        self.assertAlmostEqual(verdict.figures(sums([1.0], [1.0], **row), "logit").sqnr_db, 20.0)
        self.assertEqual(verdict.figures(sums([1.0], [1.0], **row)).sqnr_db, verdict.EXACT_DB)
        self.assertEqual(verdict.figures(sums([1.0], [1.0]), "logit").note, verdict.NOTHING_DECIDED)


class Verdicts(unittest.TestCase):
    def figures(self, cosine, db, note=""):
        return verdict.Figures(cosine, db, 0.0, 1.0, 0.0, note)

    def test_each(self):
        promise = {"sqnr_db": 40.0}
        for cosine, db, warned, expected in ((0.9995, 38, False, "right"), (0.9995, 36.9, False, "too good"), (0.9995, 30, True, "right"),
                                             (0.998, 39, True, "warned"), (0.998, 39, False, "wrong")):
            self.assertEqual(verdict.verdict(self.figures(cosine, db), promise, warned), expected, (cosine, db, warned))

    def test_numbers_of_classes_by_how_many_are_the_same(self):
        promise = {"sqnr_db": 30.0, "scores_before": "ArgMax, axis -1", "argmax_agreement": 0.98}
        for same, warned, expected in ((0.97, False, "right"), (0.95, False, "too good"), (0.95, True, "warned")):
            found = verdict.Figures(0.9, -8.0, 16.0, 16.0, same)
            self.assertEqual(verdict.verdict(found, promise, warned), expected, (same, warned))

    def test_what_cannot_be_seen_or_was_not_promised(self):
        self.assertEqual(verdict.verdict(self.figures(1.0, 61), {"sqnr_db": 120.0}, False), "right")
        self.assertEqual(verdict.verdict(self.figures(1.0, 50), {"sqnr_db": 120.0}, False), "too good")
        self.assertEqual(verdict.verdict(self.figures(1.0, 5), None, False), "right")
        self.assertEqual(verdict.verdict(self.figures(1.0, 5, verdict.NOTHING_DECIDED), {"sqnr_db": 40.0}, False), "right")

    def test_warnings_name_whole_outputs(self):
        report = {"warnings": ["output 'hn' hardly moves on made-up inputs"], "outputs": [{"name": "h", "sqnr_db": 1}]}
        self.assertTrue(verdict.warned(report, "hn"))
        self.assertFalse(verdict.warned({"warnings": ["output 'hn' is float64 in the file; the blob has it as float32"]}, "hn"))
        self.assertFalse(verdict.warned(report, "h"))
        self.assertEqual(verdict.promised(report, "h"), {"name": "h", "sqnr_db": 1})
        self.assertIsNone(verdict.promised(report, "hn"))


class Tables(unittest.TestCase):
    RESULT = {"name": "a|b", "bytes": 1500000, "cpu_seconds": 2.34, "peak_bytes": 9e6, "reason": "", "code": 0, "speed": {"ratio": 2.5}, "outputs": [
        {"name": "y", "cosine": 0.99971, "sqnr_db": 33.04, "largest_error": 0.012, "largest_value": 3.0, "verdict": "right",
         "promise": {"sqnr_db": 35.0, "evidence": "moves"}},
        {"name": "z", "cosine": 0.5, "sqnr_db": 1.0, "largest_error": 1.0, "largest_value": 2.0, "verdict": "warned", "promise": None}]}
    REFUSED = {"name": "c", "bytes": 10, "reason": "x" * 500 + "\nmore", "code": 4, "outputs": []}

    def test_rows(self):
        lines = table.outputs_table([self.RESULT, self.REFUSED])
        self.assertEqual(lines[2], "| a/b | 1.5 | y | 0.99971 | 33.0 | 35.0 | 0.012 of 3 | right | 2.50 | 2.3 | 9 |")
        quantized = table.outputs_table([{**self.RESULT, "speed": {"ratio": 1.25, "beside_fp32": 4.5}}])
        self.assertIn("| right | 1.25 (fp32 4.50) | 2.3 | 9 |", quantized[2])
        self.assertEqual(table.ratio({}), "-", "the sizes of a call could not be told")
        self.assertEqual(lines[3], "|  |  | z | 0.5 | 1.0 | not compared | 1 of 2 | warned |  |  |  |")
        self.assertEqual({line.count("|") for line in lines}, {len(table.HEAD) + 1})

    def test_refusals_are_short(self):
        row = table.refused_table([self.RESULT, self.REFUSED])[-1]
        self.assertTrue(row.startswith("| c | 0.0 | 4 | xxx") and row.endswith("... |"), row)
        self.assertLessEqual(max(map(len, row.split("|"))), table.CELL + 2)
        self.assertEqual(table.refused_table([self.RESULT]), [])

    def test_summary(self):
        self.assertIn("2 files, 1 convert and run. Right in every output: 0.", table.summary([self.RESULT, self.REFUSED]))

    def test_some_rows_renewed(self):
        """One model again and one more: the others' rows, their order and the chains stay, counts are of all."""
        facts = {"date": "d", "commit": "c", "cpu": "x", "cores": 2, "python": "p", "onnxruntime": "o", "espeak": "e"}
        def model(name, verdict):
            return {**self.RESULT, "name": name, "outputs": [{**self.RESULT["outputs"][0], "verdict": verdict}]}
        chain = [{"head": "h", "clips": 1, "highest": 1.0, "largest_difference": 0.0, "onnxruntime": 1.0, "blob": 1.0}]
        before = table.document([self.RESULT, model("b", "wrong"), model("d", "right")], chain, facts, 0.02)
        after = table.renewed(before, [model("c", "too good"), model("b", "right")], {**facts, "commit": "new"}, ["a|b", "b", "c", "d"])
        self.assertEqual([row.split("|")[1].strip() for row in after if row.startswith("|")][2:7], ["a/b", "", "b", "c", "d"])
        self.assertEqual(after[2], table.summary([self.RESULT, model("b", "right"), model("c", "too good"), model("d", "right")]))
        self.assertEqual(after[:2] + after[-7:], before[:2] + before[-7:])
        self.assertIn("Newer rows, d, commit new: c; b.", after)
        with self.assertRaises(ValueError):
            table.renewed(before, [self.REFUSED], facts, [])

    def test_between_marks(self):
        self.assertEqual(table.replaced("a\n<b>\nold\n<e>\nz\n", "<b>", "<e>", ["new"]), "a\n<b>\nnew\n<e>\nz\n")
        self.assertEqual(table.between("a\n<b>\nold\n<e>\nz\n", "<b>", "<e>"), ["old"])
        for text in ("<e>\n<b>", "<b>", "<b><b><e>"):
            with self.assertRaises(ValueError):
                table.replaced(text, "<b>", "<e>", [])


@unittest.skipUnless(importlib.util.find_spec("onnx"), "no onnx")
class Dequantized(unittest.TestCase):
    """A product of dynamically quantized activations behind an LSTM, with zero points per column, against the same in floats."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source, self.path = (os.path.join(self.folder.name, name) for name in ("int8.onnx", "fp32.onnx"))

    def save(self, nodes, constants):
        import onnx
        from onnx import TensorProto, helper, numpy_helper
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xy")
        graph = helper.make_graph([helper.make_node(*node[:3], **node[3]) for node in nodes], "g", [x], [y],
                                  [numpy_helper.from_array(value, name) for name, value in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]), self.source)

    def test_product_and_lstm(self):
        import dequantized
        import numpy as np
        from onnx.reference import ReferenceEvaluator
        draw = np.random.default_rng(1)
        w, r = (draw.integers(-128, 128, (1, n, 12), np.int8) for n in (4, 3))
        scale, zero = np.linspace(.01, .02, 12, dtype=np.float32)[None], np.full((1, 12), 3, np.int8)
        m, columns = draw.integers(0, 256, (3, 5), np.uint8), np.arange(120, 125, dtype=np.uint8)
        self.save([("DynamicQuantizeLSTM", ["x", "w", "r", "", "", "", "", "", "s", "z", "s", "z"], ["h"], {"domain": "com.microsoft", "hidden_size": 3}),
                   ("Squeeze", ["h", "one"], ["h3"], {}), ("DynamicQuantizeLinear", ["h3"], ["q", "qs", "qz"], {}),
                   ("MatMulInteger", ["q", "m", "qz", "mz"], ["p"], {}), ("Cast", ["p"], ["f"], {"to": 1}), ("Mul", ["qs", "ms"], ["factor"], {}),
                   ("Mul", ["f", "factor"], ["y"], {})],
                  {"w": w, "r": r, "s": scale, "z": zero, "m": m, "mz": columns, "ms": np.float32(.5), "one": np.array([1])})
        dequantized.dequantized(self.source, self.path)
        x = draw.standard_normal((6, 2, 4), np.float32)
        got, = ReferenceEvaluator(self.path).run(None, {"x": x})

        def sigmoid(v):
            return 1 / (1 + np.exp(-v))
        wf, rf = ((a[0].astype(np.float64) - 3) * scale for a in (w, r))
        h = c = np.zeros((2, 3))
        for t in range(6):
            i, o, f, g = np.split(x[t] @ wf + h @ rf, 4, 1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            np.testing.assert_allclose(got[t], h @ (m - 1.0 * columns) * .5, rtol=1e-4, atol=1e-5)

    def test_what_is_no_dynamic_quantization(self):
        import dequantized
        import numpy as np
        for operator in ("QuantizeLinear", "QLinearMatMul", "QAttention"):
            self.save([(operator, ["x", "s", "z"], ["y"], {})], {"s": np.float32(1), "z": np.uint8(0)})
            with self.assertRaisesRegex(dequantized.NotDequantized, operator):
                dequantized.dequantized(self.source, self.path)
            self.assertFalse(os.path.exists(self.path))

    def test_sums_of_integers(self):
        """ddddocr's convolutions add their biases before they are floats."""
        import dequantized
        import numpy as np
        self.save([("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], {}), ("MatMulInteger", ["q", "m", "z"], ["p"], {}), ("Add", ["p", "b"], ["sum"], {}),
                   ("Cast", ["sum"], ["y"], {"to": 1})], {"m": np.ones((3, 5), np.uint8), "b": np.ones(5, np.int32)})
        with self.assertRaisesRegex(dequantized.NotDequantized, "read as integers by Add"):
            dequantized.dequantized(self.source, self.path)


@unittest.skipUnless(importlib.util.find_spec("numpy"), "no NumPy")
class FrontEnds(unittest.TestCase):
    def test_slaney_filters(self):
        """Corners as librosa has them (hz_to_mel(1000) is 15, mel_to_hz(20) about 1411 Hz), each filter of one area."""
        import judges
        filters = judges.slaney_filters(16000, 4096, 40)
        self.assertEqual(filters.shape, (2049, 40))
        for band in range(40):
            self.assertAlmostEqual(filters[:, band].sum() * 16000 / 4096, 1.0, places=1)
        # 41 steps of 1.10 mel from 0 to 45.2: the tenth filter's peak is in the linear part, the thirtieth's is not.
        self.assertAlmostEqual(filters[:, 9].argmax() * 16000 / 4096, 10 * 1.1033 * 200 / 3, delta=4)
        self.assertAlmostEqual(filters[:, 29].argmax() * 16000 / 4096, 1000 * 6.4 ** ((30 * 1.1033 - 15) / 27), delta=4)

    def test_mel_decibels_of_a_tone(self):
        import judges
        import numpy as np
        rows = judges.mel_decibels(0.5 * np.sin(2 * np.pi * 440 * np.arange(16000) / 16000), 16000, 321, 160, 120)
        self.assertEqual(rows.shape, (100, 120))
        self.assertEqual((rows.max(), rows.min()), (1.0, -1.0))
        # 440 Hz are 6.6 mel of 45.2, and bands are .374 mel apart.
        self.assertAlmostEqual(float(rows[50].argmax()), 6.6 / 0.3738 - 1, delta=3)

    def test_likeliest_pieces(self):
        import languages
        scores = {"▁": (3, -2.0), "▁the": (4, -4.0), "▁th": (5, -6.0), "e": (6, -4.5), "▁them": (7, -9.0), "m": (8, -5.5), "t": (9, -5.0)}
        self.assertEqual(languages.sentence_pieces("the them", scores, 2), [4, 7, 1])
        self.assertEqual(languages.sentence_pieces("them?", scores, 2), [7, 2, 1])
        self.assertEqual(languages.sentence_pieces("te", scores, 2), [3, 9, 6, 1])


@unittest.skipUnless(all(map(importlib.util.find_spec, ("numpy", "PIL"))), "no NumPy or no Pillow")
class Choices(unittest.TestCase):
    def test_counted(self):
        import class_choices
        import numpy as np
        wanted = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.6, 0.4]])]
        found = [np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([[0.4, 0.6]])]
        result = class_choices.counted(wanted, found, class_choices.Asked("x", [], **class_choices.hits(np.array([0, 1, 1]))))
        self.assertEqual(result, class_choices.Counted(3, 1, 3, (2, 2)))
        self.assertTrue(class_choices.kept(result))
        self.assertTrue(class_choices.row("m", "x", result).endswith("| 33.33 of 3 | 3 | 66.67 | 66.67 | 0.00 |"))
        self.assertFalse(class_choices.kept(class_choices.Counted(1000, 996)))
        self.assertTrue(class_choices.row("m", "x", class_choices.Counted(1000, 997)).endswith("| 99.70 of 1000 |  |  |  | at most 0.30 |"))

    def test_read(self):
        import class_choices
        self.assertEqual(class_choices.spelled([0, 1, 1, 0, 1, 3, 2], "ab"), "aa b")
        self.assertEqual([class_choices.edits(a, b) for a, b in (("abc", "abc"), ("abc", "xbcd"), ("", "ab"), ("ab", ""))], [0, 2, 2, 2])

    def test_rows_of_the_catalog(self):
        import class_choices
        self.assertLessEqual(set(class_choices.TASKS), {model.name for model in catalog.MODELS})


@unittest.skipUnless(all(map(importlib.util.find_spec, ("numpy", "PIL"))), "no NumPy or no Pillow")
class Feeds(unittest.TestCase):
    def test_every_row_has_a_feed(self):
        import inputs
        self.assertLessEqual({model.feeds for model in catalog.MODELS}, set(inputs.FEEDS))


class Reading(unittest.TestCase):
    def test_first_reason(self):
        text = "warning: w\nerror: 1 operator is not supported (2 nodes)\n  X(12)  x2\n      transposed convolution\n      hint: none\nnote: 3 nodes"
        self.assertEqual(convert.first_reason(text), "1 operator is not supported (2 nodes) X(12)  x2 transposed convolution hint: none")
        self.assertEqual(convert.first_reason(""), "no message")

    def test_dims_of_a_feed(self):
        def feed(**shapes):
            return {name: type("Array", (), {"shape": shape}) for name, shape in shapes.items()}
        described = {"dims": [{"name": "n"}], "inputs": [{"name": "x", "shape": "[n, 4]"}, {"name": "l", "shape": "[n]"}]}
        self.assertEqual(timing.dims_of(described, feed(x=(3, 4), l=(3,))), {"n": 3})
        self.assertIsNone(timing.dims_of(described, feed(x=(3, 4), l=(2,))))
        self.assertIsNone(timing.dims_of({"dims": [{"name": "n"}], "inputs": [{"name": "x", "shape": "[2*n]"}]}, feed(x=(4,))))
        self.assertEqual(timing.dims_of({"dims": [], "inputs": [{"name": "x", "shape": "[]"}]}, feed(x=())), {})

    def test_models_of_packages(self):
        """Two packages, one file in both: it counts once, for the first; a package that is there is not fetched."""
        with tempfile.TemporaryDirectory() as folder:
            for package, files in (("one-a", {"m/x.onnx": b"1", "m/x.txt": b"t"}), ("two", {"y.onnx": b"1", "z.onnx": b"2"})):
                os.makedirs(os.path.join(folder, "d", package))
                content = io.BytesIO()
                with zipfile.ZipFile(content, "w") as archive:
                    for name, data in files.items():
                        archive.writestr(name, data)
                pathlib.Path(folder, "d", package, package.replace("-", "_") + "-1.2-py3-none-any.whl").write_bytes(content.getvalue())
            found, failed = fetch.models_of((("one-a", None), ("two", None)), os.path.join(folder, "d"), os.path.join(folder, "e"), print)
        self.assertEqual([(f.package, f.version, f.inside, f.bytes) for f in found], [("one-a", "1.2", "m/x.onnx", 1), ("two", "1.2", "z.onnx", 1)])
        self.assertEqual(failed, [])

    def test_catalog(self):
        names = [model.name for model in catalog.MODELS]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({model.package for model in catalog.MODELS}, {package for package, _ in catalog.PACKAGES})
        self.assertEqual(len({(m.package, m.inside, m.version) for m in catalog.MODELS}), len(names))

    def test_one_name_in_two_folders(self):
        for inside, name in (("resources/encoder.onnx", "romanizer encoder"), ("resources/persian/encoder.onnx", "romanizer Persian encoder")):
            found = fetch.Found("arabic-name-romanizer", "1", "arabic_name_romanizer/" + inside, "", "", 0)
            self.assertEqual(catalog.find(found).name, name)

    def test_options(self):
        script = pathlib.Path(__file__).resolve().parent.parent / "package_models.py"
        for arguments in ([], ["w", "--nosuch"], ["w", "--timeout", "soon"]):
            done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
