#!/usr/bin/env python3
"""canary.py WORKDIR: can the in-order model be trusted? XNNPACK ships fp32 kernels tuned on A53 and A55; on these cores a model must put them before its kernel for
the out-of-order A75. Needs LiteRT's runs of `run.py WORKDIR --onnx minilm.onnx --litert .. --sizes 128
--levels neon_inorder,dotprod,dotprod_inorder`. Exit 1: the issue slots rank them wrongly."""
import pathlib
import re
import sys

from trace_model import Runs

RUNS = {"a53": "minilm_litert_a53_128", "a55": "minilm_litert_a55_128", "a75": "minilm_litert_a76_128"}  # tuned for: where it runs, as run.py names it
MOST_TRACES = 40


def traces_of(runs, tuned, name):
    """Traces inside a kernel tuned for a core."""
    blocks, samples, _ = runs.load(name)
    inside = [[blocks[i] for i in s if re.match(f"xnn_f32_gemm.*cortex_{tuned}", blocks[i].symbol)] for s in samples]
    whole = [s for s, sample in zip(inside, samples) if sum(b.size for b in s) > .98 * sum(blocks[i].size for i in sample)]
    if not whole:
        sys.exit(f"{name}: no trace inside a kernel tuned for {tuned}")
    return [[t for b in s for t in b.text] for s in whole[:MOST_TRACES]]


def macs(traces):
    return sum(t.startswith("fmla") * (4 * (".4s" in t) + 2 * (".2s" in t)) for trace in traces for t in trace)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    absent = [name for name in RUNS.values() if not pathlib.Path(sys.argv[1], "runs", name + ".txt").is_file()]
    if absent:
        sys.exit(f"canary.py: {sys.argv[1]} has no run {absent[0]}: `bench/modelled/run.py {sys.argv[1]} --onnx minilm.onnx --litert FILE.tflite --sizes 128 "
                 "--levels neon_inorder,dotprod,dotprod_inorder` makes it, after bench/modelled/setup.sh")
    runs, failed = Runs(sys.argv[1]), False
    traces = {tuned: traces_of(runs, tuned, name) for tuned, name in RUNS.items()}
    for core in ("a53", "a55"):
        for model in ("slots:cortex-" + core, "cortex-" + core):
            rate = {tuned: macs(found) / sum(runs.cycles(found, model)) for tuned, found in traces.items()}
            ranked = rate[core] > rate["a75"]
            failed |= not ranked and model.startswith("slots")
            print(f"{model:16}", *(f"tuned for {t} {rate[t]:.2f}" for t in RUNS), "fp32 MAC/cycle:", "right order" if ranked else "WRONG order")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
