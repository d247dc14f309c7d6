#!/usr/bin/env python3
"""The runtime on platform/minimal: the digest of a blob is that of a program on platform/posix, and runtime, kernels and platform together
need nothing of a C library but memory functions.

usage: minimal_test.py EDGECONV DIGEST DIGEST_MINIMAL MODEL.onnx TEXTS.tsv LINKER PLATFORM_POSIX.a ARCHIVE...    exit 0 if all holds
ARCHIVE: libert, its kernels, the minimal platform"""
import os
import pathlib
import subprocess
import sys
import tempfile

MEMORY = {"memcpy", "memmove", "memset", "memcmp", "memchr"}
COMPILER = {"_GLOBAL_OFFSET_TABLE_", "__cpu_model", "__cpu_features2", "__cpu_indicator_init", "__stack_chk_fail"}  # of libgcc, and what hardened compilers add
TEXTS = "12"


def run(*command):
    # ./test.sh --isa hides CPU features from platform/posix alone.
    environment = {name: value for name, value in os.environ.items() if name != "ERT_HIDDEN_CPU_FEATURES"}
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def symbols(path, kinds):
    lines = [line.split() for line in run("nm", "-P", path).splitlines()]
    return {parts[0] for parts in lines if len(parts) >= 2 and parts[1] in kinds}


def needed(linker, folder, roots, archives):
    """What is left undefined when the archives are linked for these functions."""
    linked = folder / "linked.o"
    run(linker, "-r", "-o", linked, *[f"--undefined={name}" for name in sorted(roots)], "--start-group", *archives, "--end-group")
    return symbols(linked, "Uw") - MEMORY - COMPILER


def main(edgeconv, digest, minimal, model, texts, linker, posix, *archives):
    # Expanding compressed blobs is zstd's, and optional.
    api = {name for name in symbols(archives[0], "T") if name.startswith("ert_") and "unpack" not in name}
    if len(api) < 15 or "ert_run" not in api:
        sys.exit(f"the list of public functions is short: {sorted(api)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        foreign = needed(linker, folder, api | {"ert_clock_ns"}, archives)
        if foreign:
            sys.exit(f"the runtime on platform/minimal needs {sorted(foreign)}")
        # Canary: the hosted platform needs a clock and threads.
        if "clock_gettime" not in needed(linker, folder, api | {"ert_clock_ns"}, [*archives[:2], posix]):
            sys.exit("the check is blind: it does not see that platform/posix calls clock_gettime")
        blob = folder / "model.ert"
        run(edgeconv, model, "-o", blob, "-q", "--precision", "int8")
        levels = set()
        for isa in ([], ["--isa", "ref"]):
            there, here = (run(program, *isa, "--texts", TEXTS, texts, blob).split() for program in (digest, minimal))
            if there != here:
                sys.exit(f"platform/minimal gives {here}, platform/posix {there}")
            levels.add(here[1])
    print(f"the same digest on {', '.join(sorted(levels))}; {len(api)} public functions need only {', '.join(sorted(MEMORY))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
