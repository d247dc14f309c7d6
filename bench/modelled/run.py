#!/usr/bin/env python3
"""run.py WORKDIR --onnx FILE [--litert FILE.tflite] [--ort-int8 FILE.onnx] [--levels ..] [--sizes 32,128] [--bench ERT_BENCH]: one inference of a transformer or a
recurrent net on 64-bit ARM by ert-bench and by peers, under emulation, as modelled cycles. Prints a table, and one line a run with its parts; WORKDIR/modelled.json has
all.

WORKDIR was made by setup.sh. FILE is MiniLM, or an encoder with its inputs or with float inputs [batch, sequence, n] and perhaps lengths; --litert and --ort-int8 are the
peers' forms, as bench/compare/setup.sh makes them (variants/litert_int8.tflite, ort_dyn_pc.onnx; models/bilstm, models/gru). build/release must have edgeconv, and
ert-bench is built from this tree (preset cross-aarch64) unless --bench is given. Runs of peers are kept in WORKDIR/runs, by the name of FILE, and not made again.

Modelled, not measured: operands in the nearest cache, branches predicted, no limits of clock or power."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

from parts import PARTS
from trace_model import Runs, require_setup

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
I8MM_CPU = "max,sme=off,sve-default-vector-length=16"
# level: CPU of qemu, board of boards.sh, {core that the row is named by: model}
LEVELS = {"neon": ("cortex-a72", "a72", {"A72": "cortex-a72"}), "neon_inorder": ("cortex-a53", "a53", {"A53 (issue slots)": "slots:cortex-a53"}),
          "dotprod": ("cortex-a76", "a76", {"A76": "neoverse-n1"}), "dotprod_inorder": ("cortex-a76", "a55", {"A55 (issue slots)": "slots:cortex-a55"}),
          "i8mm": (I8MM_CPU, "a710", {"A710": "neoverse-n2", "X3": "neoverse-v2"})}
PERIOD = 941  # instructions from trace to trace, for each token


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("--onnx", required=True)
    parser.add_argument("--litert")
    parser.add_argument("--ort-int8")
    parser.add_argument("--levels", default=",".join(LEVELS), type=lambda text: text.split(","))
    parser.add_argument("--sizes", default="32,128", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--bench", type=pathlib.Path)
    o = parser.parse_args()
    absent = [file for file in (o.onnx, o.litert, o.ort_int8, o.bench) if file and not pathlib.Path(file).is_file()]
    if absent:
        parser.error(f"there is no {absent[0]}; bench/compare/setup.sh makes the models")
    unknown = [level for level in o.levels if level not in LEVELS]
    if unknown:
        parser.error(f"unknown level {unknown[0]}; known: {', '.join(LEVELS)}")
    return o


def output(*command):
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be started ({error.strerror}): bench/modelled/setup.sh installs compilers and emulators, "
                 "`cmake --preset release && cmake --build --preset release` builds edgeconv")
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


class Guest:
    """Programs of 64-bit ARM that are counted."""

    def __init__(self, o):
        require_setup(o.workdir, "count_blocks.so", "sysroot/usr/bin/python3.11", "site", "boards")
        self.work, self.runs = o.workdir.resolve(), o.workdir.resolve() / "runs"
        self.runs.mkdir(exist_ok=True)
        if not o.bench:
            output("cmake", "-S", ROOT, "-B", self.work / "build", "--preset", "cross-aarch64")
            output("cmake", "--build", self.work / "build", "--target", "ert-bench")
        shutil.copy(o.bench or self.work / "build/bench/ert-bench", self.work / "ert-bench")
        symbols = [line.split() for line in output("aarch64-linux-gnu-nm", self.work / "ert-bench").splitlines()]
        self.ert_run = next(s[0] for s in symbols if s[-1] == "ert_run")

    def run(self, name, level, size, start, *command):
        cpu, board, _ = LEVELS[level]
        plugin = f"{self.work}/count_blocks.so,out={self.runs}/{name}.txt,period={size * PERIOD},start={start}"
        output("qemu-aarch64", "-L", self.work / "boards" / board, "-E", f"PYTHONHOME={self.work}/sysroot/usr", "-E", f"PYTHONPATH={self.work}/site",
               "-cpu", cpu, "-plugin", plugin, *command)

    def ours(self, name, level, size, blob):
        # The window is from the second ert_run to the third: --runs 2 has nothing between.
        self.run(name, level, size, self.ert_run, self.work / "ert-bench", blob, "--shape", f"batch=1,sequence={size}", "--warmup", "0", "--runs", "2", "--isa", level)

    def peer(self, name, level, size, kind, file):
        if not (self.runs / f"{name}.txt").exists():
            self.run(name, level, size, 0, self.work / "sysroot/usr/bin/python3.11", HERE / "peer.py", kind, file, "1", size, self.runs / f"{name}.maps")


def blobs(o, work):
    """{target: blob}"""
    made = {target: work / f"modelled.{target}.ert" for target in ("portable", "armv8-i8mm")}
    for target, blob in made.items():
        output(ROOT / "build/release/convert/edgeconv", o.onnx, "-o", blob, "--target", target, "--force", "-q")
    return made


def count(guest, o, level, size, ours):
    """{side: name of the run}"""
    model = pathlib.Path(o.onnx).stem
    names = {f"edgeconv, {target}": f"{model}_{target}_{level}_{size}" for target in ours if target == "portable" or level == "i8mm"}
    for side, name in names.items():
        guest.ours(name, level, size, ours[side.split(", ")[1]])
    for side, kind, file in (("LiteRT", "litert", o.litert), ("ONNX Runtime", "ort", o.ort_int8)):
        if file:
            names[side] = f"{model}_{kind}_{LEVELS[level][1]}_{size}"
            guest.peer(names[side], level, size, kind, file)
    return names


def table(rows):
    """Markdown: M cycles of each side, and the fastest peer's over ours."""
    lines = ["| level | core | tokens | blob | edgeconv | LiteRT | ONNX Runtime | fastest peer / edgeconv |", "|" + "---|" * 8]
    for row in rows:
        peers = {side: row["mcycles"][side] for side in ("LiteRT", "ONNX Runtime") if side in row["mcycles"]}
        for side, mine in row["mcycles"].items():
            if side not in peers:
                shown = [f"{peers[side]:.1f}" if side in peers else "" for side in ("LiteRT", "ONNX Runtime")]
                ratio = f"{min(peers.values()) / mine:.2f}" if peers else ""
                lines.append(f"| {row['level']} | {row['core']} | 1x{row['size']} | {side.split(', ')[1]} | {mine:.1f} | {shown[0]} | {shown[1]} | {ratio} |")
    return "\n".join(lines)


def main():
    o = options()
    guest = Guest(o)
    ours, runs, rows = blobs(o, guest.work), Runs(guest.work), []
    for level in o.levels:
        for size in o.sizes:
            names = count(guest, o, level, size, ours)
            modelled = {side: runs.model(name, LEVELS[level][2].values()) for side, name in names.items()}
            for core, model in LEVELS[level][2].items():
                row = {"level": level, "core": core, "size": size, "mcycles": {}, "parts": {}}
                for side, (instructions, cores) in modelled.items():
                    r = cores[model]
                    row["mcycles"][side] = r["mcycles"]
                    row["parts"][side] = {part: share * r["mcycles"] for part, share in r["parts"].items()}
                    parts = ", ".join(f"{part} {row['parts'][side][part]:.1f}" for part in PARTS)
                    print(f"{core:18} 1x{size:<4} {side:22} {instructions / 1e6:6.1f} M instructions {r['mcycles']:6.1f} M cycles +-{100 * r['error']:.1f} %, "
                          f"GEMM {r['gemm']:5.1f} MAC/cycle; {parts}", flush=True)
                rows.append(row)
    print("\n" + table(rows))
    (guest.work / "modelled.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
