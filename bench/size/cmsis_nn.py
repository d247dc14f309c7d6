#!/usr/bin/env python3
"""cmsis_nn.py WORKDIR CMSIS_NN [--cores m4,m55] [--nets NAME,..]: instructions of a run beside those of CMSIS-NN, for the convolutional networks of bench/compare/conv_nets.py.

WORKDIR holds NAME.onnx (bench/compare/conv.py makes them), CMSIS_NN is a checkout of that library. Its sources are compiled with its own settings (-Ofast), and
cmsis_nn_nets.c calls its int8 functions for each layer, without an interpreter. Last comes a Linear of 384 x 384 on 8 rows, whose model is made here (the interpreter needs onnx). edgeconv's blobs (--target cortex-m --precision int8, by default and with each
use of maps) run in ert-bench of the presets cross-cortex-m4 and -m55, which must be built. All on emulated boards, where the clock counts instructions.
WORKDIR/cmsis_nn.json has the figures, layer by layer. --nets linear384 leaves the rest out."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import sizes

ROOT = sizes.ROOT
sys.path.insert(0, str(ROOT / "tests/checks"))
from core_models import cortex_m_cycles  # noqa: E402
from inner_loops import INTEGER_MACS, functions, macs_of, main_loop  # noqa: E402

NETS = ("ds_cnn", "resnet8", "mobilenet025")
MAPS = ("auto", "none", "all")
LINEAR, ROWS, WIDTH = "linear384", 8, 384
FLAGS = {"m4": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"], "m55": ["-mcpu=cortex-m55", "-mfloat-abi=hard"]}
FOLDERS = ("ActivationFunctions", "BasicMathFunctions", "ConvolutionFunctions", "FullyConnectedFunctions", "NNSupportFunctions", "PoolingFunctions", "SoftmaxFunctions", "TransposeFunctions")
CLOCK_HZ = {"m4": 25000000, "m55": 32000000}  # platform/cortex_m/board.cmake


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("cmsis_nn", type=pathlib.Path)
    parser.add_argument("--cores", default="m4,m55")
    parser.add_argument("--nets", default=",".join((*NETS, LINEAR)), type=lambda text: text.split(","))
    o = parser.parse_args()
    unknown = [name for name in o.nets if name not in (*NETS, LINEAR)]
    if unknown:
        parser.error(f"unknown net {unknown[0]}; known: {', '.join((*NETS, LINEAR))}")
    strange = [core for core in o.cores.split(",") if core not in FLAGS]
    if strange:
        parser.error(f"unknown core {strange[0]}; known: {', '.join(FLAGS)}")
    if not (o.cmsis_nn / "Include/arm_nnfunctions.h").is_file():
        parser.error(f"{o.cmsis_nn} is no checkout of CMSIS-NN: it has no Include/arm_nnfunctions.h")
    if not shutil.which("arm-none-eabi-gcc"):
        parser.error("there is no arm-none-eabi-gcc: install gcc-arm-none-eabi and qemu-system-arm (Debian's names)")
    o.workdir.mkdir(parents=True, exist_ok=True)
    sizes.require_nets(parser, o.workdir, [name for name in o.nets if name in NETS])
    sizes.require_built(parser, [ROOT / f"build/cross-cortex-{core}/bench/firmware/ert-bench" for core in o.cores.split(",")])
    return o


def compile_with(compiler, *arguments):
    done = subprocess.run([*compiler, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)


def build_peer(o, core):
    """The program cmsis_nn_nets.c with the library's sources; the project gives the board, newlib the memory functions."""
    folder = o.workdir / f"cmsis_nn_{core}"
    folder.mkdir(exist_ok=True)
    board = ROOT / "platform/cortex_m"
    sources = [ROOT / "bench/size/cmsis_nn_nets.c"] + [board / f"{name}.c" for name in ("startup", "faults", "stack", "semihosting", "clock")]
    sources += [f for name in FOLDERS for f in sorted((o.cmsis_nn / "Source" / name).glob("*.c")) if "f16" not in f.name and "f32" not in f.name]
    compiler = ["arm-none-eabi-gcc", *FLAGS[core], "-mthumb", "-ffunction-sections", "-fdata-sections", f"-DERT_CORE_HZ={CLOCK_HZ[core]}", f"-I{ROOT}", f"-I{o.cmsis_nn}/Include"]
    objects = []
    for at, source in enumerate(sources):
        objects.append(folder / f"{at}.o")
        compile_with(compiler, "-Ofast" if o.cmsis_nn in source.parents else "-Os", "-c", source, "-o", objects[-1])
    program = folder / "nets"
    script = board / "boards"
    compile_with(compiler, "-nostartfiles", f"-L{script}", "-T", script / f"{sizes.BOARDS[core]}.ld", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", *objects, "-o", program)
    return program


def on_board(core, program, *arguments):
    done = subprocess.run([ROOT / "toolchains/run_cortex_m.sh", sizes.BOARDS[core], "--icount", program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program} on {sizes.BOARDS[core]}: exit {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def measure(name, programs, o):
    row = {core: {"cmsis_nn": on_board(core, program, name)} for core, program in programs.items()}
    for maps in MAPS:
        blob = o.workdir / f"{name}.cmsis_nn.{maps}.ert"
        row[maps] = sizes.convert(o.workdir / f"{name}.onnx", blob, ["--target", "cortex-m", "--precision", "int8", "--allow-accuracy-loss", "--maps", maps])
        for core in programs:
            image = ROOT / f"build/cross-cortex-{core}/bench/firmware/ert-bench"
            row[core][maps] = on_board(core, image, blob, "--warmup", "0", "--runs", "1", "--profile")["results"][0]
    return row


def make_linear(path, columns):
    """y [ROWS, columns] = x [ROWS, WIDTH] w + b as ONNX."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
    random = np.random.default_rng(21)
    values = {"w": random.standard_normal((WIDTH, columns)) / WIDTH ** .5, "b": .1 * random.standard_normal(columns)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Add", ["product", "b"], ["y"])]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [ROWS, size]) for name, size in (("x", WIDTH), ("y", columns))]
    graph = helper.make_graph(nodes, LINEAR, ends[:1], ends[1:], [numpy_helper.from_array(v.astype(np.float32), name) for name, v in values.items()])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def measure_linear(programs, o):
    """{core: thousands of instructions}. `op` quantizes its rows; what as many columns more on the same rows take is the product alone, to fp32."""
    rows = {core: {layer["kind"]: layer["ns"] / 1e3 for layer in on_board(core, program, LINEAR)} for core, program in programs.items()}
    ops = {core: [] for core in programs}
    for columns in (WIDTH, 2 * WIDTH):
        model, blob = o.workdir / f"linear{columns}.onnx", o.workdir / f"linear{columns}.cmsis_nn.ert"
        make_linear(model, columns)
        sizes.convert(model, blob, ["--target", "cortex-m", "--precision", "int8", "--allow-accuracy-loss"])
        for core, found in ops.items():
            image = ROOT / f"build/cross-cortex-{core}/bench/firmware/ert-bench"
            found.append(on_board(core, image, blob, "--warmup", "0", "--runs", "1", "--profile")["results"][0]["ops"][0]["us"])
    for core, (one, two) in ops.items():
        rows[core].update(op=one, product=two - one)
    return rows


def linear_line(core, row):
    """A row of the table: the best of CMSIS-NN over the product, and over the op."""
    best = min(row["dense"], row["conv"])
    return f"| {core} | " + " | ".join([*(f"{row[name]:,.0f}" for name in ("dense", "conv", "product", "op")), f"{best / row['product']:.2f}", f"{best / row['op']:.2f}"]) + " |"


def loop_rates(program):
    """{function: MAC per cycle of its inner loop by the rules for M4 of core_models.py}, of those that fully_connected and the convolution multiply by."""
    rates = {}
    for _, name, body in functions("arm-none-eabi-objdump", str(program)):
        if name in ("arm_nn_vec_mat_mult_t_s8", "arm_nn_mat_mult_nt_t_s8"):
            loop = main_loop(body, INTEGER_MACS)
            rates[name] = macs_of(loop, INTEGER_MACS) / cortex_m_cycles(loop, "cortex-m4")
    return rates


def compare_nets(programs, o):
    rows = {}
    if any(name in NETS for name in o.nets):
        print("| network, core | CMSIS-NN | " + " | ".join(f"maps {m}" for m in MAPS) + " | CMSIS-NN / auto | " + " | ".join(f"arena {m}" for m in MAPS) + " |")
        print("|" + "---|" * (3 + 2 * len(MAPS)))
    for name in NETS:
        if name not in o.nets:
            continue
        rows[name] = measure(name, programs, o)
        for core in programs:
            peer = sum(layer["ns"] for layer in rows[name][core]["cmsis_nn"]) / 1e6
            ours = [rows[name][core][maps]["p50_us"] / 1e3 for maps in MAPS]
            cells = [f"{peer:.2f}", *(f"{x:.2f}" for x in ours), f"{peer / ours[0]:.2f}", *(f"{rows[name][m]['arena_bytes']:,}" for m in MAPS)]
            print(f"| {name}, {core} | " + " | ".join(cells) + " |", flush=True)
    return rows


def main():
    o = options()
    o.workdir, o.cmsis_nn = o.workdir.resolve(), o.cmsis_nn.resolve()
    programs = {core: build_peer(o, core) for core in o.cores.split(",")}
    rows = compare_nets(programs, o)
    if LINEAR in o.nets:
        rows[LINEAR] = measure_linear(programs, o)
        print("\n| core | fully_connected | convolution 1x1 | edgeconv, product | edgeconv, op | best / product | best / op |\n" + "|" + "---|" * 7)
        for core, row in rows[LINEAR].items():
            print(linear_line(core, row))
        if "m4" in programs:
            print("MAC per cycle of inner loops by the rules for M4: " + ", ".join(f"{name} {rate:.3f}" for name, rate in loop_rates(programs["m4"]).items()))
    (o.workdir / "cmsis_nn.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
