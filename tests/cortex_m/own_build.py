#!/usr/bin/env python3
"""The porting guide (platform/README.md) by a product with a toolchain file, startup and C library of its own: it adds this project to its
build, exports a model, links only its ops, bounds the stack and replays the golden vectors on the emulated M4, with the core's own kernels.

usage: own_build.py ROOT     exit 0 if that works"""
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = "dsp, no clock, OK: success"
# Where the guide says how a model becomes an array.
STEP = re.compile(r"`edgeconv model\.onnx -o model\.ert (--target [^`]*)`.*?`edgeconv export model\.ert ([^`]*)`", re.S)


def run(folder, *command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=folder)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def main(root):
    converter = root / "build/release/convert/edgeconv"
    options = STEP.search((root / "platform/README.md").read_text())
    if options is None:
        sys.exit("the porting guide does not say how to convert and export a model")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run(folder, converter, root / "tests/models/langid/langid.onnx", "-o", "model.ert", *options.group(1).split(), "-q")
        run(folder, converter, "export", "model.ert", *options.group(2).split())
        own = root / "tests/cortex_m/own_build"
        run(folder, "cmake", "-G", "Ninja", "-S", own, "-B", "build", f"-DCMAKE_TOOLCHAIN_FILE={own / 'toolchain.cmake'}",
            "-DCMAKE_BUILD_TYPE=MinSizeRel", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DEDGECONV_SOURCE={root}", f"-DMODEL={folder}")
        run(folder, "cmake", "--build", "build")
        said = run(folder, root / "toolchains/run_cortex_m.sh", "mps2-an386", "build/product").strip()
        stack = run(folder, sys.executable, root / "tests/checks/stack_bound.py", "build/product", "build", "2048")
    if not re.search(r"\d+ bytes of stack at most: ert_selftest", stack):
        sys.exit(f"no bound of the product's stack:\n{stack}")
    if said != EXPECTED:
        sys.exit(f"the product says '{said}', it must be '{EXPECTED}'")
    print(f"  the porting guide in a build of its own: {said}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
