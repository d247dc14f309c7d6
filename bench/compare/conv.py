#!/usr/bin/env python3
"""conv.py WORKDIR [--before BUILD] [--turns 9] [--only NAME] [--model NAME=FILE.onnx[,option ...]]: convolutional networks beside ONNX Runtime fp32, one thread.

Makes the networks of conv_nets.py in WORKDIR (the interpreter needs torch, onnx and onnxruntime), converts each by default options and
measures in turns: a turn is one short series of each side, whose fastest run counts; the median over turns is printed, and the ratio is
that of a turn. --before names a build folder of an earlier revision (its own conversion, its own ert-bench): the columns `before`.
--model adds a file, with options of its conversion behind commas: wake=embedding_model.onnx,--dim,unk__314=1.
Programs: build/release, or the folder in BUILD. WORKDIR/conv.json has the figures."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SERIES_SECONDS = 0.25


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir")
    parser.add_argument("--before")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--model", action="append", default=[])
    return parser.parse_args()


class Ours:
    def __init__(self, build, model, options_of_model, blob):
        self.bench, self.blob = os.path.join(build, "bench", "ert-bench"), blob
        command = [os.path.join(build, "convert", "edgeconv"), "convert", model, "-o", blob, "--force", *options_of_model]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(made.stderr.strip().splitlines()[0])
        shown = subprocess.run([command[0], "inspect", blob, "--json"], capture_output=True, text=True, check=True)
        self.shapes = input_shapes(json.loads(shown.stdout))
        self.last, self.runs = None, 3
        self.runs = max(3, int(SERIES_SECONDS * 1e6 / self.series()))

    def series(self):
        out = subprocess.run([self.bench, self.blob, "--runs", str(self.runs), "--warmup", "2", "--json"], capture_output=True, text=True, check=True)
        self.last = json.loads(out.stdout)["results"][0]
        return self.last["min_us"]


class OnnxRuntime:
    def __init__(self, model, shapes):
        import numpy
        import onnxruntime
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        types = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(uint8)": "uint8"}
        draw = numpy.random.default_rng(1)
        self.feed = {i.name: draw.random(shapes[i.name]).astype(types[i.type])
                     for i in self.session.get_inputs()}

    def series(self):
        best, end = float("inf"), time.perf_counter() + SERIES_SECONDS
        while time.perf_counter() < end or best == float("inf"):
            start = time.perf_counter()
            self.session.run(None, self.feed)
            best = min(best, time.perf_counter() - start)
        return best * 1e6


def input_shapes(inspected):
    """{input: sizes} of a blob at its largest dims. A file need not name its dims, so the blob says what the other side is to be given."""
    largest = {d["name"]: d["max"] for d in inspected["dims"]}
    return {i["name"]: [int(d) if d.isdigit() else largest[d] for d in i["shape"].strip("[]").split(", ") if d] for i in inspected["inputs"]}


def measure(name, model, given, o):
    build = os.environ.get("BUILD", os.path.join(ROOT, "build", "release"))
    ours = Ours(build, model, given, os.path.join(o.workdir, name + ".ert"))
    sides = {"ours": ours, "ort": OnnxRuntime(model, ours.shapes)}
    if o.before:
        sides["before"] = Ours(o.before, model, given, os.path.join(o.workdir, name + ".before.ert"))
    turns = [{side: s.series() for side, s in sides.items()} for _ in range(o.turns)]
    row = {side + "_us": statistics.median(t[side] for t in turns) for side in sides}
    row["ratio"] = statistics.median(t["ort"] / t["ours"] for t in turns)
    row["arena_bytes"], row["blob_bytes"] = sides["ours"].last["arena_bytes"], os.path.getsize(sides["ours"].blob)
    row["macs"] = sides["ours"].last["macs"]
    if o.before:
        row["ratio_before"] = statistics.median(t["ort"] / t["before"] for t in turns)
        row["arena_bytes_before"] = sides["before"].last["arena_bytes"]
        row["blob_bytes_before"] = os.path.getsize(sides["before"].blob)
    return row


def main():
    o = options()
    subprocess.run([sys.executable, os.path.join(HERE, "conv_nets.py"), o.workdir], check=True)
    models = [(name, os.path.join(o.workdir, name + ".onnx"), []) for name in ("ds_cnn", "resnet8", "mobilenet025", "autoencoder", "mobilenetv2")]
    for given in o.model:
        name, _, rest = given.partition("=")
        file, *more = rest.split(",")
        models.append((name, file, more))
    rows = {}
    print("| network | ONNX Runtime us | before us | now us | times before | times now | RAM before | RAM now | blob before | blob now |\n|" + "---|" * 10)
    for name, model, given in models:
        if o.only and name not in o.only:
            continue
        try:
            row = rows[name] = measure(name, model, given, o)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"| {name} | {error} |")
            continue
        before = {k: row.get(k + "_before") for k in ("ratio", "arena_bytes", "blob_bytes")}

        def shown(value, text):
            return "" if value is None else text.format(value)
        print(f"| {name} | {row['ort_us']:.0f} | {shown(row.get('before_us'), '{:.0f}')} | {row['ours_us']:.0f} | {shown(before['ratio'], '{:.2f}')} | {row['ratio']:.2f} "
              f"| {shown(before['arena_bytes'], '{:,}')} | {row['arena_bytes']:,} | {shown(before['blob_bytes'], '{:,}')} | {row['blob_bytes']:,} |", flush=True)
    with open(os.path.join(o.workdir, "conv.json"), "w") as f:
        json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
