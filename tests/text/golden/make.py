"""make.py EDGECONV FOLDER: the golden blobs of this folder, with what they answered when they were made (golden_test.cc holds every later runtime to
both). Blobs that are there are never made again: a later format gets files of its own. Needs onnx and numpy."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS = ["[UNK]", "good", "morning", "evening", "the", "cat", "sits", "on", "mat", "no", "yes", "late"]
UNIGRAM = [["<unk>", 0.0], ["\u2581", -4.0], *[["\u2581" + w, -2.0] for w in WORDS[1:]], *[[c, -6.0] for c in "abcdefghimnorsty"]]
TOKENIZERS = {
    "wordlevel": (len(WORDS), {"version": "1.0", "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"},
                               "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {w: i for i, w in enumerate(WORDS)}}}),
    "plain_spaces": (len(UNIGRAM), {"version": "1.0", "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
                                    "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
                                    "model": {"type": "Unigram", "unk_id": 0, "vocab": UNIGRAM}}),
    # A second table of classes and of decompositions, and a decoder that takes letters for bytes.
    "two_meanings": (len(WORDS), {"version": "1.0", "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "Strip", "strip_left": True, "strip_right": True}, {"type": "NFKC"}, {"type": "StripAccents"},
        {"type": "BertNormalizer", "lowercase": True, "strip_accents": True}]}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": {"type": "ByteLevel"},
        "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {w: i for i, w in enumerate([*WORDS[:-2], "\u0111", "\u4e2d"])}}}),
    # A bit for each piece that words become without merging: "the" has none, since "h e" is the first merge.
    "whole_pieces": (13, {"version": "1.0", "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"},
                          "model": {"type": "BPE", "unk_token": "?", "fuse_unk": True, "vocab": {t: i for i, t in enumerate(["?", *"acehnot", "no", "th", "he", "the", "cat"])},
                                    "merges": ["h e", "n o", "t h", "th e"]}}),
    "ngram": (64, {"version": "1.0", "model": {"type": "HashedNgram", "buckets": 64, "first_hash": 16, "first_script": 2, "no_text": 1, "longest_word": 16}}),
}
TEXTS = ["good morning", "The cat sits on the MAT", "12:30", "доброе утро", "おはよう", "late"]
OTHER_TEXTS = {"two_meanings": ["good morning", "\uff27\uff4f\uff4f\uff44 mo\u0301rning, NO", "\u0110 \u0111", "\u4e2d\u2460", "the\u0301 \ufb01 cat", "\u3000e\u0323vening "],
               "whole_pieces": ["no", "the cat", "The TH, no", "он", "nothe he", "\u2581no"]}


def model(rows):
    """A masked mean of embeddings, and three labels."""
    rng = numpy.random.default_rng(7)
    constants = {"table": rng.normal(size=(rows, 8)), "head": rng.normal(size=(8, 3))}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["embedded"]), helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
             helper.make_node("Unsqueeze", ["mask", "last"], ["column"]), helper.make_node("Mul", ["embedded", "column"], ["kept"]),
             helper.make_node("ReduceSum", ["kept", "one"], ["sum"], keepdims=0), helper.make_node("ReduceSum", ["column", "one"], ["count"], keepdims=0),
             helper.make_node("Div", ["sum", "count"], ["mean"]), helper.make_node("MatMul", ["mean", "head"], ["logits"])]
    initializers = [numpy_helper.from_array(v.astype(numpy.float32), k) for k, v in constants.items()]
    initializers += [numpy_helper.from_array(numpy.array([2]), "last"), numpy_helper.from_array(numpy.array([1]), "one")]
    axes = ["batch", "sequence"]
    graph = helper.make_graph(nodes, "golden", [helper.make_tensor_value_info(n, TensorProto.INT64, axes) for n in ("input_ids", "attention_mask")],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def main():
    edgeconv, out = sys.argv[1], pathlib.Path(sys.argv[2])
    for name, (rows, tokenizer) in TOKENIZERS.items():
        blob = out / f"{name}.ert"
        if blob.exists():
            continue
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            onnx.save(model(rows), work / "model.onnx")
            (work / "tokenizer.json").write_text(json.dumps(tokenizer))
            (work / "labels.txt").write_text("low\nmiddle\nhigh\n")
            subprocess.run([edgeconv, work / "model.onnx", "--tokenizer", work / "tokenizer.json", "--task", "classify", "--labels", work / "labels.txt", "--precision", "fp32",
                            "--dim", "sequence=32", "-o", blob, "-q"], check=True)
        lines = OTHER_TEXTS.get(name, TEXTS)
        texts = b"".join(t.encode() + b"\n" for t in lines)
        ids = subprocess.run([edgeconv, "tokenize", blob], input=texts, capture_output=True, check=True).stdout.decode().splitlines()
        said = subprocess.run([edgeconv, "run", blob, "--json", "--text-file", "-"], input=texts, capture_output=True, check=True).stdout.decode().splitlines()
        rows = [{"text": t, "ids": json.loads(i), "labels": json.loads(s)["labels"]} for t, i, s in zip(lines, ids, said)]
        if name == "two_meanings":
            words = subprocess.run([edgeconv, "tokenize", blob, "--decode"], input="\n".join(ids).encode() + b"\n", capture_output=True, check=True).stdout.decode().splitlines()
            rows = [{**r, "decoded": json.loads(w)} for r, w in zip(rows, words)]
        (out / f"{name}.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows))


if __name__ == "__main__":
    main()
