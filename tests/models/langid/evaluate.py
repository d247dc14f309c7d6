"""Accuracy of langid.onnx in fp32 (onnxruntime) and, given a blob, in int8 (edgeconv run) on the same texts.

    edgeconv langid.onnx -o langid.ert --dim batch=64
    python evaluate.py --held DIR/held.tsv [--blob langid.ert --edgeconv PATH] [--limit N] [--json accuracy.json] [--check]

Without --held only texts.tsv is judged. Sets: all held-out sentences; those of at least four words (one_sentence);
one word cut out of each (one_word); those that hold Latin and other letters (mixed_script); texts.tsv.
"""
import argparse
import collections
import datetime
import hashlib
import json
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

from features import MAX_IDS, NO_TEXT, PAD, ngrams
from languages import CODES, SCRIPT, script_of

HERE = Path(__file__).parent
UNSPACED = ("ja", "zh", "th")
GOAL_MISSED, MOST_LOSS, LEAST_TEXTS = 7, 0.001, 20_000


def read(path):
    """[(code, text)] of a file whose first column is the code and last the text."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    return [(row[0], row[-1]) for row in rows]


def one_word(held):
    """The longest word of each sentence (four characters where words are not spaced); words that occur in more than
    one language have no one right answer and are left out."""
    owners = collections.defaultdict(set)
    for code, text in held:
        words = re.findall(r"[^\W\d_]+(?:[\u0300-\u036f\u0900-\u097f\u0e31-\u0e4e\u200c][^\W\d_]*)*", text)
        word = max(words, key=len, default="")
        if code in UNSPACED:
            word = word[:4]
        if len(word) >= (2 if SCRIPT[code] == "cjk" else 3):
            owners[word.lower()].add(code)
    return [(min(codes), word) for word, codes in owners.items() if len(codes) == 1]


def mixed(text):
    scripts = collections.Counter(script_of(c) for c in text if c.isalpha())
    return scripts["latn"] >= 3 and sum(scripts.values()) - scripts["latn"] >= 3


def sentence(code, text):
    return len(text) >= 10 if code in UNSPACED else len(text.split()) >= 4


def batched(rows, size):
    """Batches of similar length, so that little is padded: yields (indices, ids, mask)."""
    order = sorted(range(len(rows)), key=lambda k: len(rows[k]))
    for start in range(0, len(order), size):
        part = order[start:start + size]
        ids = np.full((len(part), max(len(rows[k]) for k in part)), PAD, dtype=np.int64)
        mask = np.zeros_like(ids)
        for line, k in enumerate(part):
            ids[line, :len(rows[k])] = rows[k]
            mask[line, :len(rows[k])] = 1
        yield part, ids, mask


class Fp32:
    def __init__(self, path):
        self.known = {}
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, ids, mask):
        return self.session.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]


class Int8:
    """One process a batch: what is measured is the tool that users run, not a binding of it."""

    def __init__(self, tool, blob):
        self.known = {}
        self.tool, self.blob = str(tool), str(blob)
        self.folder = tempfile.TemporaryDirectory()

    def __call__(self, ids, mask):
        folder = Path(self.folder.name)
        np.save(folder / "ids.npy", ids)
        np.save(folder / "mask.npy", mask)
        done = subprocess.run([self.tool, "run", self.blob, "--input", f"input_ids={folder / 'ids.npy'}", "--input",
                               f"attention_mask={folder / 'mask.npy'}", "--out", str(folder / "out")],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"evaluate: edgeconv run failed with {done.returncode}: {done.stderr.strip()}")
        return np.load(folder / "out" / "logits.npy")


def answers(model, rows, size):
    """Logits of each row. The sets overlap, so what was computed once is kept with the model."""
    fresh = [row for row in dict.fromkeys(map(tuple, rows)) if row not in model.known]
    for part, ids, mask in batched(fresh, size):
        model.known.update(zip((fresh[k] for k in part), model(ids, mask)))
    return np.stack([model.known[tuple(row)] for row in rows])


def judge(name, texts, fp32, int8, size):
    """The figures of one set of texts, and the fp32 answers."""
    rows = [ngrams(text, MAX_IDS) for _, text in texts]
    kept = [k for k, row in enumerate(rows) if row[0] != NO_TEXT]
    rows, texts = [rows[k] for k in kept], [texts[k] for k in kept]
    right = np.array([CODES.index(code) for code, _ in texts])
    logits = answers(fp32, rows, size)
    said = logits.argmax(1)
    figures = {"texts": len(rows), "fp32_accuracy": round(float((said == right).mean()), 5)}
    line = f"{name}: {len(rows)} texts, fp32 {figures['fp32_accuracy']:.4%}"
    if int8:
        quantized = answers(int8, rows, size)
        q = quantized.argmax(1)
        figures["int8_accuracy"] = round(float((q == right).mean()), 5)
        figures["difference"] = round(float((q == right).mean() - (said == right).mean()), 5)
        figures["changed_answers"] = int((q != said).sum())
        norms = np.linalg.norm(logits, axis=1) * np.linalg.norm(quantized, axis=1)
        figures["mean_cosine"] = round(float(((logits * quantized).sum(1) / norms).mean()), 6)
        line += (f", int8 {figures['int8_accuracy']:.4%}, difference {figures['difference']:+.4%}, changed answers "
                 f"{figures['changed_answers']}, mean cosine {figures['mean_cosine']:.5f}")
    print(line, flush=True)
    return figures, right, said


def cpu_name():
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
        return found.group(1) if found else platform.machine()
    except OSError:
        return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=HERE / "langid.onnx")
    parser.add_argument("--held", type=Path)
    parser.add_argument("--blob", type=Path)
    parser.add_argument("--edgeconv", type=Path, default="edgeconv")
    parser.add_argument("--batch", type=int, default=64, help="at most the blob's maximum batch")
    parser.add_argument("--limit", type=int, help="this many held-out texts a language")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--check", action="store_true",
                        help=f"exit 7 unless int8 loses at most {MOST_LOSS:.1%} on at least {LEAST_TEXTS:,} held-out texts")
    args = parser.parse_args()
    fp32 = Fp32(args.model)
    int8 = Int8(args.edgeconv, args.blob) if args.blob else None
    report = {"model_sha256": hashlib.sha256(args.model.read_bytes()).hexdigest(), "cpu": cpu_name(),
              "date": datetime.date.today().isoformat(), "onnxruntime": onnxruntime.__version__, "sets": {}}
    sets = {"texts": read(HERE / "texts.tsv")}
    if args.held:
        held, count = [], collections.Counter()
        for code, text in read(args.held):
            count[code] += 1
            if not args.limit or count[code] <= args.limit:
                held.append((code, text))
        report["held_sha256"] = hashlib.sha256(args.held.read_bytes()).hexdigest()
        sets["held_out"] = held
        sets["one_sentence"] = [(code, text) for code, text in held if sentence(code, text)]
        sets["one_word"] = one_word(held)
        sets["mixed_script"] = [(code, text) for code, text in held if mixed(text)]
    if args.blob:
        report["blob_sha256"] = hashlib.sha256(args.blob.read_bytes()).hexdigest()
        report["blob_bytes"] = args.blob.stat().st_size
    for name, texts in sets.items():
        report["sets"][name], right, said = judge(name, texts, fp32, int8, args.batch)
        if name in ("held_out", "one_sentence"):
            report["sets"][name]["languages"] = {
                code: {"texts": int((right == k).sum()), "fp32_accuracy": round(float((said[right == k] == k).mean()), 4)}
                for k, code in enumerate(CODES) if (right == k).any()}
            wrong = collections.Counter((CODES[r], CODES[s]) for r, s in zip(right, said) if r != s)
            report["sets"][name]["confusions"] = [f"{a} taken for {b}: {n}" for (a, b), n in wrong.most_common(12)]
        if name == "texts":
            kept = [item for item in texts if ngrams(item[1])[0] != NO_TEXT]
            for (code, text), s in zip(kept, said):
                if CODES[s] != code:
                    print(f"   {code} taken for {CODES[s]}: {text}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    if args.check:
        held = report["sets"].get("held_out", {})
        met = held.get("texts", 0) >= LEAST_TEXTS and held.get("difference", -1) >= -MOST_LOSS
        print(f"{'PASS' if met else 'FAIL'} int8 loses at most {MOST_LOSS:.1%} on at least {LEAST_TEXTS:,} held-out texts: "
              f"{held.get('difference', 'not measured')} on {held.get('texts', 0)}")
        return 0 if met else GOAL_MISSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
