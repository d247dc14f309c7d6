#!/usr/bin/env python3
"""Random graphs through importer, interpreter and runtime, against ONNX Runtime.

    random_graphs.py RUNNER FOLDER [--seed N] [--count N] [--precision fp32|int8] [--keep]

Graph k of a run has seed N + k; a failure is replayed by --seed THAT --count 1. RUNNER is run_node_cases, which takes folders in the
form of ONNX's backend tests. fp32: outputs equal within 1e-3 relative and 1e-5 of the largest magnitude, integers exactly. int8: cosine
of at least 0.99 where the graph has a quantized layer, except for outputs that say nothing: those that ONNX Runtime itself gives with
less than 0.995 when the operands of its layers are rounded to 8 bits (a product of all outputs of a layer, the cosine of large ones). Refused graphs are counted by reason. A run in which more than a third is refused fails.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import helper, numpy_helper
except ImportError as missing:
    print(f"{sys.executable} lacks a package: {missing}; name a python with numpy, onnx and onnxruntime in ERT_PYTHON")
    print("[  SKIPPED ] RandomGraphs.AgainstOnnxRuntime (0 ms)")
    sys.exit(0)

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import graph_ops
from graph_builder import ONNX_OF, Builder, Rejected

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 4
OPTIONS.intra_op_num_threads = 1
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

# Reasons to refuse that are no fault: what a device with a fixed memory plan and 32-bit numbers cannot do.
EXPECTED_REFUSALS = ("empty tensors", "the blob needs at least 1", "depends on the data", "has integers as input",
                     "of its input is not known", "no value of dim", "too little to work on", "a backward slice with symbolic bounds", "larger than the padded input", "depends on a size that is not fixed")


def session(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])


def run_node(node, feeds, opset):
    """One node on concrete data; Rejected where ONNX Runtime has no kernel for it or calls it invalid."""
    inputs = [helper.make_tensor_value_info(name, ONNX_OF[array.dtype], array.shape) for name, array in feeds.items()]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    model = helper.make_model(helper.make_graph([node], "one", inputs, outputs), opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 10
    try:
        return session(model).run(None, feeds)
    except Exception as e:
        raise Rejected from e


def make_graph(seed, precision):
    rng = np.random.default_rng(seed)
    b = Builder(rng, random_opset(rng), run_node)
    for _ in range(b.integer(1, 2)):
        b.input(b.pick([np.float32] * 6 + [np.int64, np.int64, np.int32, np.bool_, np.uint8, np.int8]))
    if precision == "int8":
        b.input(np.float32, shape=["n", "s", 32] if b.data_sets == 2 else [2, 6, 32])
    wanted, made, tries = b.integer(1, 6), 0, 0
    while made < wanted and tries < 60:
        tries += 1
        group = b.pick(graph_ops.LAYERS) if precision == "int8" and made == 0 else b.pick(graph_ops.OPS)
        before = len(b.nodes), len(b.values), len(b.initializers)
        try:
            group(b)
            made += 1
        except Rejected:
            del b.nodes[before[0]:], b.values[before[1]:], b.initializers[before[2]:]
    if not b.nodes:
        return None
    read = {name for n in b.nodes for name in n.input}
    made_by_nodes = {name for n in b.nodes for name in n.output}
    outputs = [v for v in b.values if v.name in made_by_nodes and v.name not in read]
    b.inputs = [i for i in b.inputs if i.name in read]
    return (b, outputs) if b.inputs and outputs else None


def random_opset(rng):
    return int(rng.choice([20, 20, 23, 22]))


LAYER_OPERATORS = ("MatMul", "Gemm", "Conv", "ConvTranspose", "DFT", "STFT", "LSTM", "GRU", "RNN", "Attention")


def rounded(x):
    """x in steps of 8 bits per row."""
    if x.dtype != np.float32 or x.ndim == 0 or x.size == 0:
        return x
    low, high = np.minimum(x.min(-1, keepdims=True), 0), np.maximum(x.max(-1, keepdims=True), 0)
    step = np.where(high > low, (high - low) / 255, 1).astype(np.float32)
    return (np.round(x / step) * step).astype(np.float32)


def unstable_outputs(b, outputs):
    """Positions of the outputs that rounding the operands of layers changes beyond what a comparison could judge."""
    unstable = set()
    for k in range(b.data_sets):
        values = {v.name: v.data[k] for v in b.values}
        values.update({t.name: numpy_helper.to_array(t) for t in b.initializers})
        exact = dict(values)
        for n in b.nodes:
            quantizes = n.op_type in LAYER_OPERATORS
            feeds = {name: rounded(values[name]) if quantizes else values[name] for name in n.input if name}
            try:
                results = run_node(n, feeds, b.opset)
            except Rejected:
                return set(range(len(outputs)))
            values.update(zip(n.output, results))
        for i, v in enumerate(outputs):
            x, y = (np.asarray(t[v.name], np.float64).ravel() for t in (exact, values))
            if x.shape != y.shape:
                unstable.add(i)
            elif v.is_float() and x.size:
                norms = np.linalg.norm(x) * np.linalg.norm(y)
                if not (x == y).all() and not (norms > 0 and x @ y / norms >= 0.995):
                    unstable.add(i)
            elif not (x == y).all():
                unstable.add(i)
    return unstable


def write_case(folder, b, outputs, precision):
    model = b.model(outputs)
    inputs = {v.name: v for v in b.values}
    largest = 0.0
    for k in range(b.data_sets):
        feeds = {i.name: inputs[i.name].data[k] for i in b.inputs}
        try:
            results = session(model).run(None, feeds)
        except Exception:
            return False
        data = folder / f"test_data_set_{k}"
        data.mkdir(parents=True)
        for i, (name, array) in enumerate(feeds.items()):
            (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())
        for i, (v, array) in enumerate(zip(outputs, results)):
            (data / f"output_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(array), v.name).SerializeToString())
            if array.dtype == np.float32 and array.size:
                largest = max(largest, float(np.abs(array).max()))
    (folder / "tolerance").write_text(f"1e-3 {1e-5 * largest + 1e-6}\n")
    if precision == "int8":
        (folder / "unstable").write_text("".join(f"{i}\n" for i in sorted(unstable_outputs(b, outputs))))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return True


def run_cases(runner, folder, precision):
    """Lines of the runner; a case that ends the process is reported as such, and the rest is run again without it."""
    lines, done = [], set()
    while True:
        r = subprocess.run([runner, str(folder), precision], capture_output=True, text=True, errors="replace")
        for line in r.stdout.splitlines():
            fields = line.split("\t")
            if line.startswith("case_") and fields[0] not in done:
                lines.append(line)
                if fields[1] == "runtime":
                    done.add(fields[0])
        if r.returncode == 0:
            return list(dict.fromkeys(lines))
        victim = next((n for n in sorted(p.name for p in folder.iterdir()) if n not in done), None)
        if victim is None:
            raise SystemExit(f"the runner failed: {r.stderr}")
        lines.append(f"{victim}\truntime\tfailed\tended the process with {r.returncode}: {r.stderr[-300:]}")
        done.add(victim)
        shutil.move(folder / victim, folder.parent / (victim + "_crash"))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("runner")
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--precision", choices=["fp32", "int8"], default="fp32")
    p.add_argument("--keep", action="store_true", help="keep the files of failing graphs in FOLDER")
    a = p.parse_args()
    shutil.rmtree(a.folder, ignore_errors=True)
    print(f"random graphs: seeds {a.seed} to {a.seed + a.count - 1}, {a.precision}, onnxruntime {onnxruntime.__version__}")
    totals, refusals, failures, made = collections.Counter(), collections.Counter(), [], 0
    for first in range(a.seed, a.seed + a.count, 250):
        batch = a.folder / "batch"
        for seed in range(first, min(first + 250, a.seed + a.count)):
            graph = make_graph(seed, a.precision)
            if graph is None or not write_case(batch / f"case_{seed}", *graph, a.precision):
                shutil.rmtree(batch / f"case_{seed}", ignore_errors=True)
                continue
            made += 1
        for line in run_cases(a.runner, batch, a.precision) if batch.exists() else []:
            name, way, outcome, reason = (line.split("\t") + [""])[:4]
            totals[way, outcome] += 1
            if outcome == "refused":
                refusals[way, reason] += 1
            unexpected = outcome == "refused" and not any(e in reason for e in EXPECTED_REFUSALS)
            if outcome == "failed":
                failures.append(f"seed {name[5:]} ({way}): {reason}")
                if a.keep and (batch / name).exists():
                    shutil.copytree(batch / name, a.folder / name, dirs_exist_ok=True)
            elif unexpected and a.keep:
                shutil.copytree(batch / name, a.folder / f"refused_{name}", dirs_exist_ok=True)
        shutil.rmtree(batch, ignore_errors=True)
    for (way, reason), n in sorted(refusals.items()):
        print(f"refused {n:4d}  {way}: {reason}")
    for f in failures:
        print("FAILED", f)
    for way in ("interpreter", "runtime"):
        print(f"{way}: {made} graphs, " + ", ".join(f"{totals[way, o]} {o}" for o in ("passed", "refused", "failed")))
    if made == 0 or totals["runtime", "passed"] < made / 2:
        sys.exit("too few graphs passed for the run to say anything")
    sys.exit(1 if failures else 0)


main()
