"""accuracy_table.py WORKDIR [--check]: edgeconv's precisions, with and without calibration data, beside the peers (accuracy.sh).

Figures also go to WORKDIR/accuracy.json.
"""
import json
import os
import sys

import numpy as np

import accuracy
import machine
import ours
import report
from compare import GOAL_MISSED, peer_versions, print_head
from models import MODELS, bert_feed
import peers

# What is converted how. "32 texts" are the first of those that other peers are calibrated on; none of them is scored.
CALIBRATION_TEXTS = 32
CONVERSIONS = {
    "edgeconv": [],
    "edgeconv:--precision w8a16": ["--precision", "w8a16"],
    "edgeconv:32 texts": ["--calib"],
    "edgeconv:32 texts:--precision w8a16": ["--precision", "w8a16", "--calib"],
}
# Least values of cosine mean, cosine min, Spearman and same nearest; None: no goal.
GOALS = {
    "edgeconv": (0.9993, 0.9975, 0.9991, 0.94),
    "edgeconv:--precision w8a16": (0.9996, None, 0.9996, 0.96),
    "edgeconv:32 texts": (0.9995, None, None, None),
    "edgeconv:32 texts:--precision w8a16": (0.9997, None, None, None),
}
SCORES = ("cosine_mean", "cosine_min", "spearman", "nearest_same")
HEADS = ("cosine mean", "cosine min", "Spearman", "same nearest")


def calibration_file(work):
    tokens = np.load(os.path.join(work, "texts", "tokens.npz"))
    texts = [ids[:length] for ids, length in zip(tokens["calibration_ids"], tokens["calibration_lengths"])][:CALIBRATION_TEXTS]
    path = os.path.join(work, "texts", "calibration_32.npz")
    np.savez(path, **bert_feed(texts, max(map(len, texts))))
    return path


def make_blobs(work, model):
    """{name: blob}, {name: reason} of those that could not be made."""
    blobs, failed = {}, {}
    calibration = calibration_file(work)
    for number, (name, options) in enumerate(CONVERSIONS.items()):
        blob = os.path.join(work, f"accuracy_{number}.ert")
        try:
            ours.convert(model.onnx(work), blob, [*options, calibration] if "--calib" in options else options)
            blobs[name] = blob
        except ours.Failed as error:
            failed[name] = f"conversion failed: {error}"
    return blobs, failed


def goals(results):
    found = report.Goals()
    for name, bounds in GOALS.items():
        for score, head, bound in zip(SCORES, HEADS, bounds):
            if bound is not None:
                found.least(f"{report.title(name)}: {head}", results.get(name, {}).get(score), bound, "{:.5f}")
    return found.found


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    if check:
        arguments.remove("--check")
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    work, model = os.path.abspath(arguments[0]), MODELS["minilm"]
    missing = {name: f"left out: {reason}" for name in peers.PEERS if (reason := peers.why_missing(work, model, name))}
    present = [name for name in peers.PEERS if name not in missing]
    data = {"schema_version": 1, "machine": machine.describe(),
            "versions": {"checkout": machine.revision(ours.ROOT), "edgeconv": ours.version(), **peer_versions(work, present, peers)}}
    print_head(data)
    if not os.access(ours.edgeconv(), os.X_OK):
        blobs, failed = {}, dict.fromkeys(CONVERSIONS, ours.NOT_BUILT)
    else:
        blobs, failed = make_blobs(work, model)
    data["accuracy"] = accuracy.measure(work, present, blobs)
    data["accuracy"]["failed"] |= failed
    data["goals"] = goals(data["accuracy"]["results"])
    with open(os.path.join(work, "accuracy.json"), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
    print("\n" + "\n\n".join([*report.accuracy_table(data["accuracy"], missing), report.goal_lines(data["goals"])]))
    return GOAL_MISSED if check and not all(goal["met"] for goal in data["goals"]) else 0


if __name__ == "__main__":
    sys.exit(main())
