"""accuracy_table.py WORKDIR [--check]: edgeconv's precisions, with and without calibration data, beside the peers (accuracy.sh);
what 16-bit activations cost; and a MiniLM made hostile on purpose.

Figures also go to WORKDIR/accuracy.json.
"""
import json
import os
import sys
from types import SimpleNamespace

import numpy as np

import accuracy
import hostile
import machine
import ours
import report
from compare import GOAL_MISSED, peer_versions, print_head
from models import MODELS, bert_feed
import peers
import speed
from contestants import Edgeconv
from scoring import scored_texts

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
# w8a16 has twice the multiplications of int8: at most twice its time, in series that alternate on one thread.
W8A16 = "edgeconv:--precision w8a16"
SHAPE, MOST_TIMES, ROUNDS = "1x32", 2.0, 15
LEAST_HOSTILE = 0.995
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


def w8a16_times(blobs):
    """Median over turns of the time of w8a16 / the time of int8 (what MiniLM gets by default)."""
    entries = [speed.Entry(name, lambda threads, blob=blobs[name]: Edgeconv(blob, threads)) for name in (speed.BASE, W8A16)]
    found = speed.measure(entries, [SHAPE], SimpleNamespace(rounds=ROUNDS, threads=[1], tries=3, foreign=0.05, cpu=None))
    return {"times": found["ratios"][1][W8A16][SHAPE], "median_us": {name: row[SHAPE]["median_us"] for name, row in found["results"][1].items()},
            "foreign": found["foreign"]}


def cost_line(cost):
    """Where other work took cores meanwhile, the ratio deserves less belief."""
    if not cost:
        return "w8a16 / int8: not measured"
    times = ", ".join(f"{report.title(name)} {us:.0f} us" for name, us in cost["median_us"].items())
    return (f"{SHAPE}, 1 thread: {times}; other processes took more than {cost['foreign']['limit_cores']} cores in "
            f"{cost['foreign']['disturbed']} of {cost['foreign']['turns']} turns")


def attempt(what, function, *arguments):
    try:
        return function(*arguments)
    except (ours.Failed, KeyError) as error:
        print(f"{what}: not measured: {error}", file=sys.stderr)
        return {}


def goals(results, cost, hostile_model):
    found = report.Goals()
    found.most(f"edgeconv, --precision w8a16: time / int8, {SHAPE}, 1 thread", cost.get("times"), MOST_TIMES)
    found.least("MiniLM made hostile, default precision: worst cosine of an output", hostile_model.get("worst_cosine"), LEAST_HOSTILE, "{:.5f}")
    found.least("MiniLM made hostile: layers that the report shows to stand out", hostile_model.get("named"), 1, "{}")
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
    data["w8a16"] = attempt("w8a16 / int8", w8a16_times, blobs)
    data["hostile"] = attempt("hostile MiniLM", lambda: hostile.measure(work, scored_texts(work)))
    data["goals"] = goals(data["accuracy"]["results"], data["w8a16"], data["hostile"])
    with open(os.path.join(work, "accuracy.json"), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
    print("\n" + "\n\n".join([*report.accuracy_table(data["accuracy"], missing), cost_line(data["w8a16"]), report.goal_lines(data["goals"])]))
    return GOAL_MISSED if check and any(goal["met"] is False for goal in data["goals"]) else 0


if __name__ == "__main__":
    sys.exit(main())
