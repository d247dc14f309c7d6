#!/usr/bin/env python3
"""sizes.py WORKDIR [--tflm PYTHON] [--boards]: flash and RAM of the convolutional networks of bench/compare/conv_nets.py.

WORKDIR is one that bench/compare/conv.py --litert has filled: NAME.onnx, NAME.int8.tflite. Each network is converted for Cortex-M, by default options and with
--precision int8. Columns: bytes of its weights as int8; of the blob, and how often the larger of what is allowed (1.1 times the weights + 4 kB); of the
arena, and how often TFLite Micro's for the same network in int8. --tflm gives an interpreter of an environment of requirements.txt. --boards also runs the
blobs on emulated Cortex-M4 and M55 boards (presets cross-cortex-m4 and -m55, built) and adds millions of instructions of a run. The
interpreter needs onnx. WORKDIR/sizes.json has the figures."""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETS = ("ds_cnn", "resnet8", "mobilenet025", "autoencoder", "mobilenetv2")
FORMS = {"auto": ["--target", "cortex-m"], "int8": ["--target", "cortex-m", "--precision", "int8", "--allow-accuracy-loss"]}
BOARDS = {"m4": "mps2-an386", "m55": "mps3-an547"}
MOST_ON_BOARD = 1 << 20  # bytes of arena that the firmware of the boards has


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("--tflm")
    parser.add_argument("--boards", action="store_true")
    o = parser.parse_args()
    require_nets(parser, o.workdir, NETS)
    require_built(parser, [ROOT / f"build/cross-cortex-{core}/bench/firmware/ert-bench" for core in BOARDS] if o.boards else [])
    return o


def require_nets(parser, folder, names):
    """Usage ends here where what bench/compare/conv.py makes, or the package that reads it, is missing."""
    missing = [f"{name}.onnx" for name in names if not (folder / f"{name}.onnx").is_file()]
    if missing:
        parser.error(f"{folder} has no {missing[0]}: `bench/compare/conv.py {folder} --litert PYTHON` makes it")
    if importlib.util.find_spec("onnx") is None:
        parser.error(f"{sys.executable} has no onnx: take the interpreter that bench/compare/conv.py ran with, or pip install onnx")


def require_built(parser, images):
    edgeconv = ROOT / "build/release/convert/edgeconv"
    if not edgeconv.is_file():
        parser.error(f"there is no {edgeconv}: cmake --preset release && cmake --build --preset release --target edgeconv")
    for image in images:
        if not image.is_file():
            preset = image.relative_to(ROOT / "build").parts[0]
            parser.error(f"there is no {image}: cmake --preset {preset} && cmake --build --preset {preset} --target ert-bench")


def weight_elements(initializers, nodes):
    """Of what convolutions and Linears multiply by: a byte each in int8. initializers: {name: sizes}, nodes: [(kind, inputs)]."""
    used = {inputs[1] for kind, inputs in nodes if kind in ("Conv", "Gemm", "MatMul") and len(inputs) > 1 and inputs[1] in initializers}
    count = 0
    for name in used:
        elements = 1
        for size in initializers[name]:
            elements *= size
        count += elements
    return count


def weights_of(path):
    import onnx
    graph = onnx.load(path).graph
    return weight_elements({i.name: list(i.dims) for i in graph.initializer}, [(n.op_type, list(n.input)) for n in graph.node])


def allowed_blob(weights):
    return 1.1 * weights + 4000


def convert(model, blob, given):
    edgeconv = ROOT / "build/release/convert/edgeconv"
    subprocess.run([edgeconv, "convert", model, "-o", blob, "--force", "-q", *given], check=True, stderr=subprocess.DEVNULL)
    shown = json.loads(subprocess.run([edgeconv, "inspect", blob, "--json"], capture_output=True, text=True, check=True).stdout)
    return {"blob_bytes": shown["bytes"], "arena_bytes": shown["memory"][-1]["arena_bytes"], "most_memory": shown["most_memory"]}


def instructions(blob, core):
    """Millions of a run under the emulator, or None where the board does not hold the model."""
    image = ROOT / f"build/cross-cortex-{core}/bench/firmware/ert-bench"
    done = subprocess.run([ROOT / "toolchains/run_cortex_m.sh", BOARDS[core], "--icount", image, blob, "--warmup", "0", "--runs", "1"], capture_output=True, text=True)
    return json.loads(done.stdout)["results"][0]["p50_us"] / 1000 if done.returncode == 0 else None


def tflm_arena(python, tflite):
    done = subprocess.run([python, ROOT / "bench/size/tflm_arena.py", tflite], capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else done.stderr.strip()


def measure(name, o):
    row = {"weights": weights_of(o.workdir / f"{name}.onnx")}
    for form, given in FORMS.items():
        blob = o.workdir / f"{name}.size.{form}.ert"
        row[form] = convert(o.workdir / f"{name}.onnx", blob, given)
        if o.boards:
            row[form]["instructions_m"] = {core: instructions(blob, core) if row[form]["arena_bytes"] < MOST_ON_BOARD else None for core in BOARDS}
    tflite = o.workdir / f"{name}.int8.tflite"
    if o.tflm and tflite.exists():
        row["tflm_arena"] = tflm_arena(o.tflm, tflite)
    return row


def cells(row):
    peer = row.get("tflm_arena")
    known = isinstance(peer, int)
    yield f"{row['weights']:,}"
    for form in FORMS:
        yield f"{row[form]['blob_bytes']:,}"
        yield f"{row[form]['blob_bytes'] / allowed_blob(row['weights']):.2f}"
    yield f"{peer:,}" if known else ""
    for form in FORMS:
        yield f"{row[form]['arena_bytes']:,}"
        yield f"{row[form]['arena_bytes'] / peer:.2f}" if known else ""
    for core in BOARDS:
        for form in FORMS:
            count = row[form].get("instructions_m", {}).get(core)
            yield f"{count:.2f}" if count is not None else ""


HEAD = (["network", "int8 weights", "blob auto", "of allowed", "blob int8", "of allowed", "TFLM arena", "arena auto", "times", "arena int8", "times"]
        + [f"{core} {form}" for core in BOARDS for form in FORMS])


def main():
    o = options()
    rows = {}
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for name in NETS:
        rows[name] = measure(name, o)
        print(f"| {name} | " + " | ".join(cells(rows[name])) + " |", flush=True)
    for name, row in rows.items():
        if isinstance(row.get("tflm_arena"), str):
            print(f"\n{name}: TFLite Micro does not run it: {row['tflm_arena']}")
    with open(os.path.join(o.workdir, "sizes.json"), "w") as f:
        json.dump(rows, f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
