#!/usr/bin/env python3
"""The committed langid.ert, which new users run before they have a converter, is this model's, replays its golden vectors and names the languages that a
blob converted now names. shipped_blob_test.py EDGECONV SOURCE

Where it fails behind a change of the format or of bits: make it again, with the command of tests/models/langid/README.md.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile


def said(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def languages(edgeconv, blob, texts):
    answers = [json.loads(line) for line in said(edgeconv, "run", blob, "--text-file", texts, "--json", "--top", "1").splitlines()]
    return [answer["labels"][0]["label"] for answer in answers]


def main():
    edgeconv, model = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tests/models/langid"
    blob = model / "langid.ert"
    source = json.loads(said(edgeconv, "inspect", blob, "--json"))["source_sha256"]
    assert source == hashlib.sha256((model / "langid.onnx").read_bytes()).hexdigest(), "langid.ert is of another langid.onnx"
    assert json.loads(said(edgeconv, "verify", blob, "--json"))["golden_vectors"] > 0, "nothing to replay"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = [row.split("\t") for row in (model / "texts.tsv").read_text().splitlines()]
        (folder / "texts.txt").write_text("\n".join(text for _, text in rows) + "\n")
        said(edgeconv, model / "langid.onnx", "--tokenizer", model, "-o", folder / "now.ert", "--quiet")
        shipped, now = (languages(edgeconv, path, folder / "texts.txt") for path in (blob, folder / "now.ert"))
    assert shipped == now, [pair for pair in zip(shipped, now) if pair[0] != pair[1]]
    right = sum(label.split()[0] == language for label, (language, _) in zip(shipped, rows))
    assert right >= 0.9 * len(rows), f"{right} of {len(rows)} languages right"


if __name__ == "__main__":
    main()
