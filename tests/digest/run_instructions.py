#!/usr/bin/env python3
"""Instructions of one whole run at each level, against tests/digest/run_instructions.json: 2 % more fails ./test.sh --cross.

usage: run_instructions.py ROOT [--only TARGET[,TARGET]] [--record]     exit 0 only if no level takes 2 % more than its record

The model is one layer of encoder_model.py in int8 at 1x32, run by ert-bench on one thread: GEMMs with their ends, attention, norms and what is around them. On Linux targets
the plugin bench/modelled/count_blocks.c counts the second call of ert_run under qemu-user; a Cortex-M board counts itself, its clock being the number of
instructions (toolchains/run_cortex_m.sh --icount). Neither depends on the machine that tests. Only counts of one compiler compare: a target that another one built is named and
left out, as are levels whose instructions the emulator lacks. --record writes what is measured; say in the commit why it grew."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile

import digests
import encoder_model
from digests import run

RECORD = pathlib.Path(__file__).with_name("run_instructions.json")
TOLERANCE = 1.02
LAYERS, TOKENS = 1, 32
FIRMWARE = "bench/firmware/ert-bench"
# The CPU of qemu that has most levels, and where it loads programs that may lie anywhere (0: those of the target may not).
USER_CPUS = {"x86-64": ("qemu-x86_64 -cpu max", 0x4000000000), "aarch64": ("qemu-aarch64 -cpu max", 0), "armv7": ("qemu-arm -cpu max", 0),
             "riscv64": ("qemu-riscv64", 0)}
# qemu-user 7.2 has neither; build/release has them, and other machines run them in the quick tests.
NOT_EMULATED = {"x86-64": {"avxvnni", "avx512vnni"}}
PLUGIN_OF = "7.2"  # of qemu, whose plugin interface count_blocks.c declares


class NotCounted(Exception):
    pass


def checked(command):
    result = run(command)
    if result.returncode != 0:
        raise NotCounted(f"{shlex.join(map(str, command))}: exit {result.returncode}: {result.stderr.strip()[-300:]}")
    return result.stdout


def compiler_of(build):
    """'GNU 12.2.0': of the compiler that the build was configured with."""
    text = next(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text()
    return " ".join(re.search(rf'^set\(CMAKE_CXX_COMPILER_{part} "(.*)"\)', text, re.M).group(1) for part in ("ID", "VERSION"))


def plugin(root, folder):
    """The counting plugin, built for this machine; NotCounted where qemu-user is not the one that it knows."""
    version = re.search(r"version (\d+\.\d+)", checked(["qemu-aarch64", "--version"]))
    if not version or version.group(1) != PLUGIN_OF:
        raise NotCounted(f"qemu-user {version.group(1) if version else '?'}: count_blocks.c knows the plugins of {PLUGIN_OF}")
    library = folder / "count_blocks.so"
    checked([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", root / "bench/modelled/count_blocks.c", "-o", library])
    return library


def counted_by_plugin(library, target, program, blob, level, tokens):
    emulator, base = USER_CPUS[target]
    address = next(int(line.split()[0], 16) for line in checked(["nm", program]).splitlines() if line.endswith(" T ert_run"))
    # A Thumb function's address is odd, its first block's is not.
    start = base + (address & ~1 if target == "armv7" else address)
    out = library.with_name(f"{target}_{level}_{tokens}.txt")
    # The window is from the second ert_run to the third: --runs 2 has nothing between.
    checked([*emulator.split(), "-plugin", f"{library},out={out},period={10**15},start={start:x}", program, blob, "--shape", f"batch=1,sequence={tokens}",
             "--warmup", "0", "--runs", "2", "--isa", level])
    return int(re.search(r"^T (\d+)", out.read_text(), re.M).group(1))


def counted_by_board(root, emulator, program, blob, level, tokens):
    script, board = emulator.split()
    result = checked([root / script, board, "--icount", program, blob, "--shape", f"batch=1,sequence={tokens}", "--warmup", "0", "--runs", "2", "--isa", level,
                      "--json"])
    # An instruction takes a nanosecond.
    return round(json.loads(result)["results"][0]["p50_us"] * 1000)


def jobs_of(builds, cpus):
    """(target, emulator, level), each level once, and the names of those that no emulator runs."""
    jobs, left_out = {}, []
    for target, emulator, levels, _ in cpus:
        for level in levels.split() if target in builds else []:
            if level in NOT_EMULATED.get(target, ()):
                left_out.append(f"{target} {level}: not counted, the emulator has no such CPU")
            else:
                jobs.setdefault((target, level), USER_CPUS[target][0] if target in USER_CPUS else emulator)
    return [(target, emulator, level) for (target, level), emulator in jobs.items()], left_out


def measure(root, builds, cpus, folder):
    """({target: {level: instructions}}, names of what was not counted, why the check cannot be believed or None)"""
    model = folder / "one_layer.onnx"
    encoder_model.write(model, LAYERS)
    blob = digests.convert(root, model, folder / "one_layer.ert", "--precision", "int8")
    jobs, left_out = jobs_of(builds, cpus)
    library = plugin(root, folder)

    def count(job, tokens=TOKENS):
        target, emulator, level = job
        if target in USER_CPUS:
            return counted_by_plugin(library, target, root / builds[target] / "bench/ert-bench", blob, level, tokens)
        return counted_by_board(root, emulator, root / builds[target] / FIRMWARE, blob, level, tokens)

    counts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (target, _, level), instructions in zip(jobs, pool.map(count, jobs)):
            counts.setdefault(target, {})[level] = instructions
    # Canary: another token is 3 % more work, and must be seen.
    target, _, level = jobs[-1]
    seen = compare({target: {level: count(jobs[-1], TOKENS + 1)}}, {target: {level: counts[target][level]}})
    return counts, left_out, None if seen else f"the check is blind: {target} {level} has no more instructions for {TOKENS + 1} tokens"


def compare(counts, recorded):
    """Faults: levels above their record, those without one, and records of what is no longer counted."""
    faults = []
    for target, levels in counts.items():
        faults += [f"{target} {level}: recorded, but no longer counted" for level in recorded.get(target, {}) if level not in levels]
        for level, now in levels.items():
            before = recorded.get(target, {}).get(level)
            if before is None:
                faults.append(f"{target} {level}: {now:,} instructions, not recorded; record anew: python3 tests/digest/run_instructions.py . --only {target} --record")
            elif now > before * TOLERANCE:
                faults.append(f"{target} {level}: {before:,} instructions before, {now:,} now, {100 * (now / before - 1):.1f} % more (2 % is allowed); if it must be: "
                              f"python3 tests/digest/run_instructions.py . --only {target} --record")
    return faults


def record(root, builds, counts):
    records = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for target, levels in counts.items():
        records[target] = {"compiler": compiler_of(root / builds[target]), "instructions": levels}
    RECORD.write_text(json.dumps(records, indent=1) + "\n")


def comparable(root, builds, records):
    """The builds whose compiler is that of their record; the names of the others."""
    same, left_out = {}, []
    for target, build in builds.items():
        compiler, recorded = compiler_of(root / build), records.get(target, {}).get("compiler")
        if recorded and compiler != recorded:
            left_out.append(f"{target}: not counted, recorded with {recorded}, built with {compiler}")
        else:
            same[target] = build
    return same, left_out


def check(root, builds, cpus, recording=False):
    """True if no level takes 2 % more instructions than recorded."""
    print(f"\ninstructions of one run of a layer of MiniLM's size, int8, 1x{TOKENS}, one thread", flush=True)
    records = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    same, skipped = (builds, []) if recording else comparable(root, builds, records)
    try:
        with tempfile.TemporaryDirectory() as folder:
            counts, left_out, blind = measure(root, same, cpus, pathlib.Path(folder)) if same else ({}, [], None)
    except NotCounted as error:
        known = "count_blocks.c knows" in str(error)
        print(f"  {'not counted' if known else 'FAILED'}: {error}", flush=True)
        return known
    if recording:
        record(root, builds, counts)
        records = json.loads(RECORD.read_text())
    recorded = {target: entry["instructions"] for target, entry in records.items()}
    for target, levels in counts.items():
        print(f"  {target:10} " + ", ".join(f"{level} {now:,} ({100 * (now / recorded[target][level] - 1):+.1f} %)" if level in recorded.get(target, {})
                                            else f"{level} {now:,}" for level, now in levels.items()))
    faults = compare(counts, recorded) + ([blind] if blind else [])
    for line in skipped + left_out + [f"FAILED: {fault}" for fault in faults]:
        print("  " + line)
    sys.stdout.flush()
    return not faults


if __name__ == "__main__":
    import cross
    options = sys.argv[2:]
    only = options[options.index("--only") + 1].split(",") if "--only" in options else []
    os.chdir(sys.argv[1])
    here = pathlib.Path.cwd()
    sys.exit(0 if check(here, {name: build for name, build, _ in cross.TARGETS if (not only or name in only) and (here / build / "CMakeCache.txt").exists()}, cross.CPUS,
                        "--record" in options) else 1)
