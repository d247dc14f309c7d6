#!/usr/bin/env python3
"""The installed module edgeconv, as people use it. usage: python_test.py SOURCE_FOLDER (in an environment that has the package, outside of the checkout)

./test.sh --package python makes the wheel, installs it into a fresh environment and runs this.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import numpy as np

import edgeconv as ert

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
LANGID = SOURCE / "tests/models/langid"
FIXTURES = SOURCE / "tests/fixtures"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="edgeconv-python-"))
sys.path.insert(0, str(SOURCE / "tests/digest"))
from encoder_model import FLOAT, Writer, described, field  # noqa: E402


class Tensor:
    """What a library of its own hands over: DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Convert(unittest.TestCase):
    def test_summary_and_options(self):
        out = FOLDER / "convert.ert"
        summary = ert.convert(LANGID / "langid.onnx", out, dim={"sequence": 64, "batch": 2}, tokenizer=LANGID, force=True)
        self.assertTrue(out.exists())
        self.assertGreater(summary["outputs"][0]["cosine"], 0.999)
        model = ert.Model(out)
        self.assertEqual(model.dims, {"batch": (1, 2), "sequence": (1, 64)})
        self.assertEqual(model.task, "classify")

    def test_refusals_have_status_and_name(self):
        for path, options, status, name, word in (
                ("missing.onnx", {}, 6, "IO", "missing.onnx"),
                (LANGID / "langid.onnx", {"dim": {"rows": 4}}, 2, "USAGE", "rows"),
                (LANGID / "langid.onnx", {"presicion": "int8"}, 2, "USAGE", "--precision"),
                (LANGID / "langid.labels.txt", {}, 3, "MALFORMED", "not an ONNX model")):
            with self.subTest(path=path, options=options):
                with self.assertRaises(ert.Error) as caught:
                    ert.convert(path, FOLDER / "refused.ert", **options)
                self.assertEqual((caught.exception.status, caught.exception.name), (status, name))
                self.assertIn(word, str(caught.exception))
                self.assertFalse((FOLDER / "refused.ert").exists())
        with self.assertRaises(TypeError):
            ert.convert(LANGID / "langid.onnx", output="x.ert")

    def test_warnings_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ert.convert(FIXTURES / "mlp_bn_ts14__static_qdq/model.onnx", FOLDER / "qdq.ert", force=True)
        self.assertTrue(any(issubclass(w.category, ert.ConversionWarning) and "quantized already" in str(w.message) for w in caught))


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = FOLDER / "langid.ert"
        ert.convert(LANGID / "langid.onnx", cls.path, tokenizer=LANGID, force=True)
        cls.model = ert.Model(cls.path)
        rng = np.random.default_rng(1)
        cls.feed = {"input_ids": rng.integers(1, 1000, (3, 17)), "attention_mask": np.ones((3, 17), np.int64)}
        cls.logits = cls.model.run(cls.feed)["logits"]

    def test_inputs_and_outputs(self):
        self.assertEqual([(i.name, i.dtype, i.shape, i.state) for i in self.model.inputs],
                         [("input_ids", "int64", ("batch", "sequence"), False), ("attention_mask", "int64", ("batch", "sequence"), False)])
        self.assertEqual(self.model.outputs[0][:3], ("logits", "float32", ("batch", 40)))
        self.assertEqual((self.logits.shape, self.logits.dtype), ((3, 40), np.float32))
        self.assertTrue(self.logits.flags.writeable)

    def test_the_same_bits_whatever_the_way(self):
        want = self.logits.tobytes()
        small = {k: v.astype(np.int32) for k, v in self.feed.items()}
        lists = {k: v.tolist() for k, v in self.feed.items()}
        strided = {k: np.repeat(v, 2, axis=1)[:, ::2] for k, v in self.feed.items()}
        swapped = {k: v.astype(">i8") for k, v in self.feed.items()}
        tensors = {k: Tensor(v.copy()) for k, v in self.feed.items()}
        strided_tensors = {k: Tensor(v) for k, v in strided.items()}
        buffers = {k: memoryview(v) for k, v in self.feed.items()}
        for feed in (small, lists, strided, swapped, tensors, strided_tensors, buffers):
            self.assertEqual(self.model.run(feed)["logits"].tobytes(), want)
        for isa in ert.isa_available():
            one = ert.Model(self.path, isa=isa)
            self.assertEqual(one.isa, isa)
            self.assertEqual(one.run(self.feed)["logits"].tobytes(), want)
        self.assertEqual(ert.Model(self.path, threads=2).run(self.feed)["logits"].tobytes(), want)
        rows = [self.model.run({k: v[i:i + 1] for k, v in self.feed.items()})["logits"] for i in range(3)]
        self.assertEqual(np.concatenate(rows).tobytes(), want)

    def test_the_command_line_gives_the_same(self):
        np.savez(FOLDER / "in.npz", **self.feed)
        binary = pathlib.Path(ert.__file__).parent / "bin/edgeconv"
        subprocess.run([binary, "run", self.path, "--data", FOLDER / "in.npz", "--out", FOLDER / "cli"], check=True, capture_output=True)
        self.assertEqual(np.load(FOLDER / "cli/logits.npy").tobytes(), self.logits.tobytes())

    def test_inputs_are_read_in_place_and_left_alone(self):
        feed = {k: np.ascontiguousarray(v) for k, v in self.feed.items()}
        for v in feed.values():
            v.setflags(write=False)
        before = {k: v.copy() for k, v in feed.items()}
        self.assertEqual(self.model.run(feed)["logits"].tobytes(), self.logits.tobytes())
        for k, v in feed.items():
            np.testing.assert_array_equal(v, before[k])

    def test_results_outlive_the_model(self):
        model = ert.Model(self.path)
        out = model.run(self.feed)["logits"]
        del model
        self.assertEqual(out.tobytes(), self.logits.tobytes())

    def test_threads_have_contexts_of_their_own(self):
        shapes = [(1, 5), (3, 17), (8, 128), (2, 64)]
        rng = np.random.default_rng(2)
        feeds = [{"input_ids": rng.integers(1, 1000, s), "attention_mask": np.ones(s, np.int64)} for s in shapes]
        want = [ert.Model(self.path).run(f)["logits"].tobytes() for f in feeds]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda i: self.model.run(feeds[i % 4])["logits"].tobytes(), range(200)))
        self.assertEqual(got, [want[i % 4] for i in range(200)])

    def test_a_thread_leaves_its_stream_and_its_memory(self):
        """A running mean with the state s: each thread's begins with zeros, though its id was another's; a process made by fork has its own."""
        w = Writer(1)
        mean = w.node("Mul", [w.node("Add", ["x", "s"]), w.scalar(0.5)])
        graph = b"".join(field(1, n) for n in [*w.nodes, w.output(mean, "next"), w.output(mean, "y")]) + field(2, "mean") + b"".join(field(5, i) for i in w.initializers)
        graph += b"".join(field(11, described(name, FLOAT, 1, 8)) for name in "xs") + b"".join(field(12, described(name, FLOAT, 1, 8)) for name in ("y", "next"))
        (FOLDER / "mean.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)))
        ert.convert(FOLDER / "mean.onnx", FOLDER / "mean.ert", state={"next": "s"}, force=True)
        model = ert.Model(FOLDER / "mean.ert", threads=2)
        three = lambda: [float(model.run({"x": np.ones((1, 8), np.float32)})["y"][0, 0]) for _ in range(3)]  # noqa: E731
        self.assertEqual(three(), [0.5, 0.75, 0.875])
        for _ in range(4):
            with concurrent.futures.ThreadPoolExecutor(1) as one:
                self.assertEqual(one.submit(three).result(), [0.5, 0.75, 0.875])
        self.assertEqual(model.run({"x": np.ones((1, 8), np.float32)})["y"][0, 0], 0.9375, "this thread's stream goes on")
        child = os.fork()
        if child == 0:
            os._exit(three() != [0.5, 0.75, 0.875])
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        threads = len(os.listdir("/proc/self/task"))
        with concurrent.futures.ThreadPoolExecutor(16) as many:
            list(many.map(lambda _: three(), range(64)))
        end = time.monotonic() + 20
        while len(os.listdir("/proc/self/task")) > threads and time.monotonic() < end:  # Python joins a thread a little before it is gone
            time.sleep(0.01)
        self.assertEqual(len(os.listdir("/proc/self/task")), threads, "contexts of threads that ended")

    def test_refusals(self):
        ids, mask = self.feed["input_ids"], self.feed["attention_mask"]
        for feed, name, words in (
                ({"input_ids": ids}, "INPUT", ["'attention_mask' is not given"]),
                ({"input_ids": ids, "attention_mask": mask, "token_type_ids": mask}, "INPUT", ["no input 'token_type_ids'", "'input_ids'"]),
                ({"input_ids": ids.astype(np.float32), "attention_mask": mask}, "INPUT", ["float32", "int64", "astype"]),
                ({"input_ids": ids[0], "attention_mask": mask}, "INPUT", ["'input_ids'", "1 axes", "2"]),
                ({"input_ids": ids, "attention_mask": mask[:2]}, "INPUT", ["attention_mask"]),
                ({"input_ids": np.zeros((1, 500), np.int64), "attention_mask": np.ones((1, 500), np.int64)}, "DIMS", ["'sequence' is 500", "1 to 128"]),
                ({"input_ids": np.full((1, 3), 1 << 30), "attention_mask": np.ones((1, 3), np.int64)}, "INPUT", ["'input_ids'", "element 0", "1073741824"]),
                ({"input_ids": [[1.5, 2, 3]], "attention_mask": [[1, 1, 1]]}, "INPUT", ["'input_ids'", "float64", "int64"]),
                ({"input_ids": memoryview(np.ones((1, 3))), "attention_mask": [[1, 1, 1]]}, "INPUT", ["'input_ids'", "float64", "int64"]),
                ({"input_ids": Tensor(np.ones((1, 3))), "attention_mask": [[1, 1, 1]]}, "INPUT", ["'input_ids'", "float64", "int64"]),
                ({"input_ids": Tensor(np.array([["a"]])), "attention_mask": [[1]]}, "INPUT", ["'input_ids'", "no array"]),
                ({"input_ids": [[1, 2], [3]], "attention_mask": [[1, 1]]}, "INPUT", ["'input_ids'"]),
                ({"input_ids": "abc", "attention_mask": [[1]]}, "INPUT", ["'input_ids'"]),
                ({"input_ids": [[2**70]], "attention_mask": [[1]]}, "INPUT", ["'input_ids'"]),
                ({"input_ids": np.zeros((0, 3), np.int64), "attention_mask": np.ones((0, 3), np.int64)}, "INPUT", ["no elements"])):
            with self.subTest(words=words):
                with self.assertRaises(ert.Error) as caught:
                    self.model.run(feed)
                self.assertEqual(caught.exception.name, name, caught.exception)
                for word in words:
                    self.assertIn(word, str(caught.exception))
        self.assertEqual(self.model.run(self.feed)["logits"].tobytes(), self.logits.tobytes(), "a refusal leaves the context usable")

    def test_files_that_are_no_blobs(self):
        with self.assertRaises(FileNotFoundError):
            ert.Model(FOLDER / "nothing.ert")
        damaged = FOLDER / "damaged.ert"
        bytes_ = bytearray(self.path.read_bytes())
        bytes_[5000] ^= 1
        damaged.write_bytes(bytes_)
        for path, name in ((damaged, "CHECKSUM"), (LANGID / "config.json", "MAGIC"), (LANGID / "langid.onnx", "MAGIC")):
            with self.assertRaises(ert.Error) as caught:
                ert.Model(path)
            self.assertEqual(caught.exception.name, name)
        with self.assertRaises(ert.Error):
            ert.Model(self.path, isa="mmx")
        with self.assertRaises(ert.Error):
            ert.Model(self.path, threads=0)

    def test_compressed_blobs(self):
        ert.convert(LANGID / "langid.onnx", FOLDER / "small.ert", compress="zstd", force=True)
        self.assertLess((FOLDER / "small.ert").stat().st_size, self.path.stat().st_size)
        self.assertEqual(ert.Model(FOLDER / "small.ert").run(self.feed)["logits"].tobytes(), self.logits.tobytes())

    def test_inference_session(self):
        session = ert.InferenceSession(str(self.path), providers=["CPUExecutionProvider"])
        self.assertEqual(session.get_inputs()[0].type, "tensor(int64)")
        self.assertEqual(session.run(None, self.feed)[0].tobytes(), self.logits.tobytes())
        self.assertEqual(session.run(["logits"], self.feed)[0].tobytes(), self.logits.tobytes())
        with self.assertRaises(ert.Error):
            session.run(["pooler"], self.feed)


class Text(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = FOLDER / "text.ert"
        ert.convert(LANGID / "langid.onnx", cls.path, tokenizer=LANGID, force=True)
        cls.model = ert.Model(cls.path)

    def test_answers_are_those_of_the_command_line(self):
        texts = ["Guten Morgen, wie geht es Ihnen?", "Où se trouve la gare ?", "おはようございます。", "", "\udcff x"]
        binary = pathlib.Path(ert.__file__).parent / "bin/edgeconv"
        self.assertTrue(self.model.answer(texts[4])["labels"])
        for text in texts[:4]:
            said = subprocess.run([binary, "run", self.path, "--json", "--text", text], check=True, capture_output=True).stdout
            want = json.loads(said)
            got = self.model.answer(text)
            self.assertEqual([x["label"] for x in got["labels"]], [x["label"] for x in want["labels"]])
            np.testing.assert_array_equal(np.float32([x["score"] for x in got["labels"]]), np.float32([x["score"] for x in want["labels"]]))
        self.assertEqual(self.model.answer(texts[0])["labels"][0]["label"], "de German")
        self.assertEqual(len(self.model.answer(texts[0], top=3)["labels"]), 3)
        self.assertEqual(len(self.model.labels), 40)

    def test_ids(self):
        ids = self.model.ids("Guten Morgen")
        self.assertTrue(ids and all(isinstance(i, int) for i in ids))

    def test_refusals(self):
        ert.convert(LANGID / "langid.onnx", FOLDER / "plain.ert", force=True)
        plain = ert.Model(FOLDER / "plain.ert")
        self.assertEqual(plain.task, "none")
        for call in (lambda: plain.answer("x"), lambda: plain.ids("x"), lambda: plain.encode(["x"]), lambda: self.model.encode(["x"]),
                     lambda: self.model.answer("x", labels=["a"])):
            with self.assertRaises(ert.Error):
                call()

    def test_embeddings(self):
        folder = FOLDER / "minilm"
        folder.mkdir()
        fixture = FIXTURES / "minilm_sentence_ts14"
        (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "a", "dog"]) + "\n")
        ert.convert(fixture / "model.onnx", FOLDER / "embed.ert", tokenizer=folder / "vocab.txt", task="embed", pooling="mean", force=True)
        model = ert.Model(FOLDER / "embed.ert")
        texts = ["the cat sat", "a dog", "the dog sat a cat the cat"]
        both = model.encode(texts)
        self.assertEqual((both.dtype, both.shape[0]), (np.float32, 3))
        for text, row in zip(texts, both):
            np.testing.assert_array_equal(model.encode(text), row)
            np.testing.assert_array_equal(model.answer(text)["vector"], row)
        self.assertGreater(np.abs(both[0] - both[1]).max(), 0)


if __name__ == "__main__":
    unittest.main()
