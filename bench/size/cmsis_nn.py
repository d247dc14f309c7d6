#!/usr/bin/env python3
"""cmsis_nn.py WORKDIR CMSIS_NN [--cores m4,m55]: instructions of a run beside those of CMSIS-NN, for the convolutional networks of bench/compare/conv_nets.py.

WORKDIR holds NAME.onnx (bench/compare/conv.py makes them), CMSIS_NN is a checkout of that library. Its sources are compiled with its own settings (-Ofast), and
cmsis_nn_nets.c calls its int8 functions for each layer, without an interpreter. edgeconv's blobs (--target cortex-m --precision int8, by default and with each
use of maps) run in ert-bench of the presets cross-cortex-m4 and -m55, which must be built. All on emulated boards, where the clock counts instructions.
WORKDIR/cmsis_nn.json has the figures, layer by layer."""
import argparse
import json
import pathlib
import subprocess

import sizes

ROOT = sizes.ROOT
NETS = ("ds_cnn", "resnet8", "mobilenet025")
MAPS = ("auto", "none", "all")
FLAGS = {"m4": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"], "m55": ["-mcpu=cortex-m55", "-mfloat-abi=hard"]}
FOLDERS = ("ActivationFunctions", "BasicMathFunctions", "ConvolutionFunctions", "FullyConnectedFunctions", "NNSupportFunctions", "PoolingFunctions", "SoftmaxFunctions", "TransposeFunctions")
CLOCK_HZ = {"m4": 25000000, "m55": 32000000}  # platform/cortex_m/board.cmake


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("cmsis_nn", type=pathlib.Path)
    parser.add_argument("--cores", default="m4,m55")
    return parser.parse_args()


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


def main():
    o = options()
    o.workdir, o.cmsis_nn = o.workdir.resolve(), o.cmsis_nn.resolve()
    programs = {core: build_peer(o, core) for core in o.cores.split(",")}
    print("| network, core | CMSIS-NN | " + " | ".join(f"maps {m}" for m in MAPS) + " | CMSIS-NN / auto | " + " | ".join(f"arena {m}" for m in MAPS) + " |")
    print("|" + "---|" * (3 + 2 * len(MAPS)))
    rows = {}
    for name in NETS:
        rows[name] = measure(name, programs, o)
        for core in programs:
            peer = sum(layer["ns"] for layer in rows[name][core]["cmsis_nn"]) / 1e6
            ours = [rows[name][core][maps]["p50_us"] / 1e3 for maps in MAPS]
            cells = [f"{peer:.2f}", *(f"{x:.2f}" for x in ours), f"{peer / ours[0]:.2f}", *(f"{rows[name][m]['arena_bytes']:,}" for m in MAPS)]
            print(f"| {name}, {core} | " + " | ".join(cells) + " |", flush=True)
    (o.workdir / "cmsis_nn.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
