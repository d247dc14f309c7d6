#!/usr/bin/env python3
"""conv.py WORKDIR [--litert PYTHON] [--isa LEVEL] [--before BUILD] [--turns 9] [--only NAME] [--model NAME=FILE.onnx[,option ...]]: convolutional networks
beside ONNX Runtime fp32 and LiteRT int8, one thread.

Makes the networks of conv_nets.py in WORKDIR (the interpreter needs torch, onnx and onnxruntime), converts each by default options and with
--precision int8, and measures in turns: a turn is one short series of each side, whose fastest run counts; the median over turns is printed, and ratios
are those of a turn. --litert gives an interpreter of an environment of requirements_litert.txt, in which the same networks become int8 by LiteRT's own
tools. --isa holds all sides to a level of levels.py, the peers as that file does. --before names a build folder of an earlier revision (its
own conversion by default options, its own ert-bench). --model adds a file, with options of its conversion behind commas:
wake=embedding_model.onnx,--dim,unk__314=1; LiteRT has no form of it. Programs: build/release, or the folder in BUILD. WORKDIR/conv.json has the figures."""
import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys

from goals import LEVELS

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build", "release"))
SERIES_SECONDS = 0.25
NETS = ("ds_cnn", "resnet8", "mobilenet025", "autoencoder", "mobilenetv2", "dog_breeds")


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir")
    parser.add_argument("--litert")
    parser.add_argument("--isa")
    parser.add_argument("--before")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--model", action="append", default=[])
    return parser.parse_args()


class Ours:
    def __init__(self, build, model, options_of_model, blob, isa):
        self.bench, self.blob = os.path.join(build, "bench", "ert-bench"), blob
        self.held = ["--isa", isa] if isa else []
        command = [os.path.join(build, "convert", "edgeconv"), "convert", model, "-o", blob, "--force", *options_of_model]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise RuntimeError(made.stderr.strip().splitlines()[0])
        shown = subprocess.run([command[0], "inspect", blob, "--json"], capture_output=True, text=True, check=True)
        self.shapes = input_shapes(json.loads(shown.stdout))
        self.last, self.runs = None, 3
        self.runs = max(3, int(SERIES_SECONDS * 1e6 / self.series()))

    def series(self):
        out = subprocess.run([self.bench, self.blob, "--runs", str(self.runs), "--warmup", "2", "--json", *self.held], capture_output=True, text=True, check=True)
        self.last = json.loads(out.stdout)["results"][0]
        return self.last["min_us"]


class Peer:
    """A conv_peer.py that waits between its series. `package` is a name of levels.PACKAGES."""

    def __init__(self, o, python, package, *arguments):
        held = {}
        if o.isa:
            import levels
            held = levels.environment(o.workdir, package, o.isa, python)
        self.process = subprocess.Popen([python, "-W", "ignore", os.path.join(HERE, "conv_peer.py"), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **held})

    def series(self):
        self.process.stdin.write(f"{SERIES_SECONDS}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:  # the libraries print notices of their own
            if line.startswith("us "):
                return float(line.split()[1])
        raise RuntimeError(f"conv_peer.py ended with {self.process.wait()}")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def input_shapes(inspected):
    """{input: sizes} of a blob at its largest dims. A file need not name its dims, so the blob says what the other side is to be given."""
    largest = {d["name"]: d["max"] for d in inspected["dims"]}
    return {i["name"]: [int(d) if d.isdigit() else largest[d] for d in i["shape"].strip("[]").split(", ") if d] for i in inspected["inputs"]}


def ratios(turns):
    """{"ort/auto": median over turns} of each peer to each form of ours."""
    peers, ours = [s for s in ("ort", "litert") if s in turns[0]], [s for s in ("auto", "int8", "before") if s in turns[0]]
    return {f"{p}/{o}": statistics.median(t[p] / t[o] for t in turns) for p in peers for o in ours}


def measure(name, model, given, o):
    build = BUILD
    blob = os.path.join(o.workdir, name)
    ours = {"auto": Ours(build, model, given, blob + ".ert", o.isa)}
    if "--precision" not in given:
        ours["int8"] = Ours(build, model, [*given, "--precision", "int8", "--allow-accuracy-loss"], blob + ".int8.ert", o.isa)
    if o.before:
        ours["before"] = Ours(o.before, model, given, blob + ".before.ert", o.isa)
    peers = {"ort": Peer(o, sys.executable, "ort_dyn", "onnxruntime", model, json.dumps(ours["auto"].shapes))}
    tflite = os.path.join(o.workdir, name + ".int8.tflite")
    if o.litert and os.path.exists(tflite):
        peers["litert"] = Peer(o, o.litert, "litert_int8", "litert", tflite)
    sides = {**ours, **peers}
    try:
        turns = [{side: s.series() for side, s in sides.items()} for _ in range(o.turns)]
    finally:
        for peer in peers.values():
            peer.close()
    row = {"us": {side: statistics.median(t[side] for t in turns) for side in sides}, "times": ratios(turns), "macs": ours["auto"].last["macs"]}
    row["arena_bytes"] = {side: s.last["arena_bytes"] for side, s in ours.items()}
    row["blob_bytes"] = {side: os.path.getsize(s.blob) for side, s in ours.items()}
    return row


COLUMNS = [("ONNX Runtime us", "us", "ort", "{:.0f}"), ("LiteRT int8 us", "us", "litert", "{:.0f}"), ("before us", "us", "before", "{:.0f}"),
           ("auto us", "us", "auto", "{:.0f}"), ("int8 us", "us", "int8", "{:.0f}"), ("ONNX Runtime / before", "times", "ort/before", "{:.2f}"),
           ("ONNX Runtime / auto", "times", "ort/auto", "{:.2f}"), ("ONNX Runtime / int8", "times", "ort/int8", "{:.2f}"),
           ("LiteRT / auto", "times", "litert/auto", "{:.2f}"), ("LiteRT / int8", "times", "litert/int8", "{:.2f}"),
           ("RAM auto", "arena_bytes", "auto", "{:,}"), ("RAM int8", "arena_bytes", "int8", "{:,}"), ("blob auto", "blob_bytes", "auto", "{:,}"),
           ("blob int8", "blob_bytes", "int8", "{:,}")]


def missing(o):
    """What this run needs and does not find, with what makes it; None if all is there."""
    packages = [name for name in ("torch", "onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
    if packages:
        return f"{sys.executable} has no {', '.join(packages)}: `bench/compare/setup.sh W` makes W/venv/bin/python, which has"
    if o.litert and not shutil.which(o.litert):
        return f"--litert: there is no {o.litert}: `bench/compare/setup.sh W` makes W/venv_litert/bin/python"
    for build in [BUILD] + ([o.before] if o.before else []):
        for program in ("convert/edgeconv", "bench/ert-bench"):
            if not os.path.isfile(os.path.join(build, program)):
                return f"there is no {os.path.join(build, program)}: cmake --preset release && cmake --build --preset release --target edgeconv ert-bench"
    return None


def main():
    o = options()
    lacking = missing(o)
    if lacking:
        sys.exit("conv.py: " + lacking)
    if o.isa and o.isa not in LEVELS:
        sys.exit(f"conv.py: unknown level {o.isa}; known: {', '.join(LEVELS)}")
    made = [[sys.executable, os.path.join(HERE, "conv_nets.py"), o.workdir]]
    if o.litert:
        made.append([o.litert, "-W", "ignore", os.path.join(HERE, "make_conv_litert.py"), o.workdir])
    for command in made:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"conv.py: {' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
    models = [(name, os.path.join(o.workdir, name + ".onnx"), []) for name in NETS]
    for given in o.model:
        name, _, rest = given.partition("=")
        file, *more = rest.split(",")
        models.append((name, file, more))
    rows = {}
    print("| network | " + " | ".join(column for column, *_ in COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for name, model, given in models:
        if o.only and name not in o.only:
            continue
        try:
            row = rows[name] = measure(name, model, given, o)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"| {name} | {error} |")
            continue
        cells = [text.format(row[part][side]) if side in row[part] else "" for _, part, side, text in COLUMNS]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    with open(os.path.join(o.workdir, "conv.json"), "w") as f:
        json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
