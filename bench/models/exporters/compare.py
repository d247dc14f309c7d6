#!/usr/bin/env python3
"""Each ONNX file of FOLDER by ONNX Runtime and as a blob, in fp32 and as converted by default: one row of a table each.

usage: EDGECONV=build/release/convert/edgeconv compare.py FOLDER [NAME...]

Inputs: N(0, 1), or numbers of words below 50. Dims without a size: 3 for the first axis (at most 8), 10 for others (at most 24). exit 1 if a file that
ONNX Runtime runs is converted and differs: by more than 1e-4 of the largest value in fp32, or cosine below .999."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import needs

needs.packages("numpy", "onnxruntime")
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

EDGECONV = os.environ.get("EDGECONV", "edgeconv")
KINDS = {"tensor(float)": np.float32, "tensor(int32)": np.int32, "tensor(int64)": np.int64}


def made_up(session):
    """{name: array}, and the options of dims without a size."""
    rng = np.random.default_rng(1)
    feed, dims = {}, {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else (3 if k == 0 else 10) for k, d in enumerate(i.shape)]
        dims |= {d: 8 if k == 0 else 24 for k, d in enumerate(i.shape) if not isinstance(d, int)}
        whole = "int" in i.type
        feed[i.name] = (rng.integers(0, 50, shape) if whole else rng.standard_normal(shape)).astype(KINDS[i.type])
    return feed, dims


def of_blob(model, feed, dims, options, outputs):
    """Outputs by name and the number of ops, or None and the first line of why not."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = []
        for k, (name, array) in enumerate(feed.items()):
            np.save(f"{folder}/{k}.npy", array)
            inputs += ["--input", f"{name}={folder}/{k}.npy"]
        convert = [EDGECONV, model, "-q", "-o", f"{folder}/b.ert", *options]
        known = {f"--dim={d}={most}": d for d, most in dims.items()}
        done = subprocess.run([*convert, *known], capture_output=True, text=True)
        if "has no such dim" in done.stderr:  # two names of the file that are one size
            known = {option: d for option, d in known.items() if f"--dim {d}: " not in done.stderr}
            done = subprocess.run([*convert, *known], capture_output=True, text=True)
        if done.returncode == 0:
            told = subprocess.run([EDGECONV, "inspect", f"{folder}/b.ert", "--json"], capture_output=True, text=True)
            ops = json.loads(told.stdout)["ops"]
            done = subprocess.run([EDGECONV, "run", f"{folder}/b.ert", *inputs, "--out", f"{folder}/out"], capture_output=True, text=True)
        if done.returncode != 0:
            return None, next((line for line in done.stderr.splitlines() if "::" in line), done.stderr.split("\n")[0]).strip()
        files = {name: f"{folder}/out/{re.sub('[^A-Za-z0-9_]', '_', name)}.npy" for name in outputs}
        return {name: np.load(file) for name, file in files.items()}, ops


def cosine(a, b):
    a, b = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    return float(a @ b / max(1e-30, np.linalg.norm(a) * np.linalg.norm(b)))


def row(model):
    """Cells, and whether all is well."""
    try:
        session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    except Exception as refusal:  # onnxruntime's own types
        return ["ONNX Runtime refuses it", str(refusal)[:60], "", ""], True
    feed, dims = made_up(session)
    want = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))
    fp32, told = of_blob(model, feed, dims, ["--precision", "fp32"], want)
    if fp32 is None:
        return ["refused", told[:80], "", ""], True
    default, told = of_blob(model, feed, dims, [], want)
    if default is None:
        return ["refused", told[:80], "", ""], False
    largest = max(float(np.abs(fp32[n] - w).max() / max(1e-6, np.abs(w).max())) for n, w in want.items())
    least = min(cosine(default[n], w) for n, w in want.items())
    return ["yes", f"{largest:.1e}", f"{least:.6f}", f"{told}"], largest <= 1e-4 and least >= 0.999


def main():
    models = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
    print("| network | converts | fp32: largest difference, of the largest value | default: least cosine | ops |\n|---|---|---|---|---|")
    good = True
    for model in models:
        if sys.argv[2:] and model.stem not in sys.argv[2:]:
            continue
        cells, well = row(str(model))
        good &= well
        print("| " + " | ".join([model.stem, *cells]) + " |" + ("" if well else "  <<<"), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())
