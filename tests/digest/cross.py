#!/usr/bin/env python3
"""What ./test.sh --cross runs after the cross builds: the kernel and runtime tests under the emulators, on CPUs with and without
the optional instructions; one digest of everything that blobs compute, on every target and ISA level; the programs that are copied
to a board; sizes of the archives; the length of the GEMM loops; the instructions of a whole run.

usage: cross.py ROOT [--only TARGET[,TARGET]]     exit 0 only if every test passed and all digests are one value
       cross.py ROOT --smoke                      one AArch64 and one Cortex-M target, a few texts: what .ci/run adds to the quick tests

A further target is a line of TARGETS, a further CPU of one a line of CPUS."""
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "checks"))
import board_programs
import digests
import isa_levels
import run_instructions
import sizes
from digests import run

# name, folder of the build, emulator of its tests (None: they run in the quick tier anyway)
TARGETS = [
    ("x86-64", "build/release", None),
    ("aarch64", "build/cross-aarch64", "qemu-aarch64 -cpu max"),
    ("armv7", "build/cross-armv7", "qemu-arm -cpu cortex-a9"),
    ("riscv64", "build/cross-riscv64", "qemu-riscv64"),
    ("cortex-m3", "build/cross-cortex-m3", "toolchains/run_cortex_m.sh mps2-an385"),
    ("cortex-m4", "build/cross-cortex-m4", "toolchains/run_cortex_m.sh mps2-an386"),
    ("cortex-m7", "build/cross-cortex-m7", "toolchains/run_cortex_m.sh mps2-an500"),
    ("cortex-m33", "build/cross-cortex-m33", "toolchains/run_cortex_m.sh mps2-an505"),
    ("cortex-m55", "build/cross-cortex-m55", "toolchains/run_cortex_m.sh mps3-an547"),
]
def all_levels(architecture):
    return " ".join(["ref", *isa_levels.of_architecture(pathlib.Path(__file__).parents[2], architecture)])


# target, emulator, ISA levels that run there, levels that must be refused
CPUS = [
    ("x86-64", "", all_levels("x86_64"), ""),
    ("aarch64", "qemu-aarch64 -cpu max", all_levels("aarch64"), ""),
    ("aarch64", "qemu-aarch64 -cpu neoverse-n1", "dotprod dotprod_inorder", "i8mm"),
    ("aarch64", "qemu-aarch64 -cpu cortex-a53", "neon neon_inorder", "dotprod dotprod_inorder i8mm"),
    ("armv7", "qemu-arm -cpu cortex-a9", all_levels("armv7"), "dotprod"),
    ("armv7", "qemu-arm -cpu cortex-a9,neon=off", "ref", "neon"),
    ("riscv64", "qemu-riscv64", "ref", "neon"),
    ("cortex-m3", "toolchains/run_cortex_m.sh mps2-an385", "ref", "dsp"),
    ("cortex-m4", "toolchains/run_cortex_m.sh mps2-an386", "ref dsp", "mve"),
    ("cortex-m7", "toolchains/run_cortex_m.sh mps2-an500", "ref dsp", "mve"),
    ("cortex-m33", "toolchains/run_cortex_m.sh mps2-an505", "ref dsp", "mve"),
    ("cortex-m55", "toolchains/run_cortex_m.sh mps3-an547", "ref mve", "dsp"),
]
# Targets whose GEMM loops are compared with tests/checks/inner_loops.json, and their disassembler.
COUNTED = {"aarch64": "aarch64-linux-gnu-objdump", "armv7": "arm-linux-gnueabihf-objdump", "cortex-m3": "arm-none-eabi-objdump", "cortex-m4": "arm-none-eabi-objdump",
           "cortex-m7": "arm-none-eabi-objdump", "cortex-m33": "arm-none-eabi-objdump", "cortex-m55": "arm-none-eabi-objdump -m armv8.1-m.main"}


def tests_of(root, build):
    """(name, command without its emulator, or None if it was not built) of all tests that the build lists."""
    listing = run(["ctest", "--test-dir", root / build, "-N", "--show-only=json-v1"])
    for test in json.loads(listing.stdout)["tests"]:
        command = test.get("command", [])
        at = next((i for i, part in enumerate(command) if part.startswith(str(root / build))), None)
        yield test["name"], None if at is None else command[at:]


def run_test(job):
    """(seconds, result of the run or None)"""
    _, emulator, _, command = job
    began = time.monotonic()
    result = None if command is None else run(emulator.split() + command)
    return time.monotonic() - began, result


def run_tests(root, builds):
    """All tests of all builds on all CPUs, as many at once as there are processors. Returns the names of those that failed."""
    # Each CPU once, whether it is the build's own emulator or a further one.
    cpus = dict.fromkeys([(name, emulator) for name, _, emulator in TARGETS] + [cpu[:2] for cpu in CPUS])
    jobs = [(target, emulator, name, command) for target, emulator in cpus if emulator and target in builds
            for name, command in tests_of(root, builds[target])]
    failed, heading = [], None
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (target, emulator, name, _), (seconds, result) in zip(jobs, pool.map(run_test, jobs)):
            if heading != (target, emulator):
                heading = (target, emulator)
                print(f"{target}: tests under {emulator}", flush=True)
            good = result is not None and result.returncode == 0
            skipped = re.findall(r"^\[  SKIPPED \] (\d+) tests?", result.stdout, re.M) if result else []
            note = ", not built" if result is None else f", {skipped[0]} cases skipped" if skipped else ""
            print(f"  {'ok    ' if good else 'FAILED'} {name:24} {seconds:6.1f} s{note}", flush=True)
            if not good:
                failed.append(f"{target} ({emulator}): {name}")
                print(result.stdout[-3000:] + result.stderr[-1000:] if result else "")
    return failed


def check_firmware(root, builds, *options):
    """tests/cortex_m/check.py on every Cortex-M build. True if all hold."""
    good = True
    for target, build, emulator in TARGETS:
        if target in builds and "run_cortex_m" in (emulator or ""):
            print(f"\n{target}: firmware of the language model, bytes by part; canaries", flush=True)
            result = run([sys.executable, root / "tests/cortex_m/check.py", root, root / build, emulator.split()[1], *options])
            print((result.stdout + result.stderr).rstrip(), flush=True)
            good &= result.returncode == 0
    return good


def check_transcripts(root, builds):
    """True if the firmware example prints its committed transcript."""
    print("\nfirmware example: transcript", flush=True)
    cores = [name.removeprefix("cortex-") for name in ("cortex-m4", "cortex-m33", "cortex-m55") if name in builds]
    result = run([sys.executable, root / "tests/cortex_m/transcript.py", root, *cores]) if cores else None
    print((result.stdout + result.stderr).rstrip() if result else "  none of its cores was built", flush=True)
    return result is None or result.returncode == 0


def check_own_build(root, builds):
    """True if a product that adds this project to its own build, as the porting guide says, runs on the emulated board."""
    if "cortex-m4" not in builds:
        return True
    print("\nporting guide", flush=True)
    result = run([sys.executable, root / "tests/cortex_m/own_build.py", root])
    print((result.stdout + result.stderr).rstrip(), flush=True)
    return result.returncode == 0


def check_board_programs(root, builds, folder, blobs):
    """ert-bench and ert-selftest of every Linux target, on every CPU of it. True if all hold."""
    print("\nert-bench and ert-selftest, static, without any file of the emulated system")
    extremes, wrong = folder / "extremes.ert", folder / "wrong.ert"
    writer = root / "build/release/tests/rt/write_extremes"
    run([writer, extremes], check=True)
    run([writer, wrong, "wrong"], check=True)
    good = True
    for target, emulator in dict.fromkeys(cpu[:2] for cpu in CPUS):
        if target not in builds or not emulator.startswith("qemu-"):
            continue
        faults = board_programs.check(root, root / builds[target], emulator, blobs, extremes, wrong)
        print(f"  {'FAILED' if faults else 'ok    '} {target:10} {emulator}", flush=True)
        for fault in faults:
            print("    " + fault)
        good &= not faults
    return good


def check_levels(root, builds):
    """True if no object of a Linux target has instructions that only some of its CPUs have, those of the levels apart."""
    print("\ninstructions outside their level")
    good = True
    for target in ("aarch64", "armv7"):
        if target in builds:
            archives = [root / builds[target] / name for name in ("rt/libert.a", "kernels_int8/libert_kernels.a", "platform/libert_platform.a")]
            result = run([sys.executable, root / "tests/checks/isa_check.py", target, COUNTED[target], *archives])
            print("  " + (result.stdout + result.stderr).strip(), flush=True)
            good &= result.returncode == 0
    return good


def check_inner_loops(root, builds):
    """True if no GEMM loop has grown or, in the models of cores, slowed down."""
    print("\ninstructions per multiply-accumulate of the GEMM loops, and what they make on models of cores")
    good = True
    for target, objdump in COUNTED.items():
        if target in builds:
            library = root / builds[target] / "kernels_int8/libert_kernels.a"
            result = run([sys.executable, root / "tests/checks/inner_loops.py", target, library, objdump])
            print("  " + (result.stdout + result.stderr).strip(), flush=True)
            good &= result.returncode == 0
    return good


# Target, emulator and level of the smoke test; the texts that it runs.
SMOKE = [("x86-64", "", "ref"), ("aarch64", "qemu-aarch64 -cpu max", "i8mm"), ("aarch64", "qemu-aarch64 -cpu cortex-a53", "neon"),
         ("cortex-m4", "toolchains/run_cortex_m.sh mps2-an386", "ref"), ("cortex-m4", "toolchains/run_cortex_m.sh mps2-an386", "dsp")]
SMOKE_TEXTS = 6


def smoke_digests(root, folders, what, count, texts, blobs):
    """True if the first texts give one number on all levels of SMOKE, and another one if a text is left out."""
    print(f"digest of the {what}", flush=True)
    values = []
    for target, emulator, isa in SMOKE:
        program = [root / folders[target] / "tests/digest/digest", "--texts", count, "--isa", isa]
        result = run(emulator.split() + program + [texts] + blobs)
        values.append(result.stdout.split()[0] if result.returncode == 0 else f"exit {result.returncode}: {result.stderr}")
        print(f"  {target:10} {isa:6} {values[-1]}", flush=True)
    # Canary: one text less must give another number.
    fewer = run(emulator.split() + program[:2] + [count - 1] + program[3:] + [texts] + blobs)
    same = len(set(values)) == 1 and re.fullmatch("[0-9a-f]{16}", values[0]) is not None
    if fewer.returncode != 0 or fewer.stdout.split()[0] in values:
        print("  the digest is blind: fewer texts give the same number")
        same = False
    print("  one value" if same else "  FAILED: the digests differ")
    return same


def smoke(root):
    os.chdir(root)
    folders = {name: build for name, build, _ in TARGETS}
    with tempfile.TemporaryDirectory() as folder:
        texts, blobs = root / "tests/models/langid/texts.tsv", digests.make_blobs(root, pathlib.Path(folder))[:1]
        same = smoke_digests(root, folders, "language model", SMOKE_TEXTS, texts, blobs)
        same &= smoke_digests(root, folders, "DS-CNN", 2, *digests.make_ds_cnn(root, pathlib.Path(folder)))
    firmware = {"cortex-m4": folders["cortex-m4"]}
    good = check_firmware(root, firmware)
    return 0 if check_transcripts(root, firmware) and good and same else 1


def main(root, only):
    os.chdir(root)
    builds = {name: build for name, build, _ in TARGETS if name == "x86-64" or not only or name in only}
    failed = run_tests(root, builds)
    with tempfile.TemporaryDirectory() as folder:
        blobs = digests.make_blobs(root, pathlib.Path(folder))
        same = digests.check_language_model(root, builds, pathlib.Path(folder), blobs, CPUS)
        same &= digests.check_ds_cnn(root, builds, pathlib.Path(folder), CPUS)
        same &= digests.check_encoder(root, builds, pathlib.Path(folder), CPUS)
        if not check_board_programs(root, builds, pathlib.Path(folder), blobs):
            failed.append("programs for boards")
    if not sizes.check({name: root / build for name, build in builds.items()}):
        failed.append("sizes")
    if not check_levels(root, builds):
        failed.append("levels")
    if not check_inner_loops(root, builds):
        failed.append("inner loops")
    if not run_instructions.check(root, builds, CPUS):
        failed.append("instructions of a run")
    if not check_firmware(root, builds, "--golden"):
        failed.append("firmware")
    if not check_transcripts(root, builds):
        failed.append("transcript")
    if not check_own_build(root, builds):
        failed.append("porting guide")
    for name in failed:
        print(f"FAILED: {name}")
    return 0 if same and not failed else 1


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[1:] == ["--smoke"]:
        sys.exit(smoke(pathlib.Path(arguments[0]).resolve()))
    names = arguments[2].split(",") if len(arguments) == 3 and arguments[1] == "--only" else []
    sys.exit(main(pathlib.Path(arguments[0]).resolve(), names))
