#!/usr/bin/env python3
"""Instructions per multiply-accumulate of the GEMM inner loops, counted in the disassembly of a cross build, against the recorded
figures (inner_loops.json): more than 2 % above fails. Emulators cannot measure time; this is what keeps a spill or a lost
instruction from going unnoticed. The same for the MAC per cycle that models of cores give (core_models.py), printed beside the goals: modelled, not measured;
more than 2 % below the record fails, a goal that is missed is printed as missed.

usage: inner_loops.py TARGET LIBRARY.a 'OBJDUMP [OPTION...]' [--record]
Exit 1 if a loop got worse or is missing. Figures belong to the compiler, and those of llvm-mca to its version too: with another one they are only reported."""
import json
import pathlib
import re
import subprocess
import sys

import core_models

RECORD = pathlib.Path(__file__).with_name("inner_loops.json")
TOLERANCE = 1.02
# Multiply-accumulates of one instruction. fp32 tiles have nothing but fmul and fadd; in the int8 ones fmul is epilogue.
INTEGER_MACS = {r"[su]?sdot": 16, r"usdot": 16, r"smmla|usmmla": 32, r"sm(ull|lal)2?": 8, r"vm(ull|lal)\.s8": 8,
                r"smlad": 2, r"vmlava\.s8": 16}
FLOAT_MACS = {r"fmul": 4, r"vmul\.f32": 4}
# W12A13 multiplies 16-bit values; its fmul and the like come between pieces.
# By sdot and smmla: three products of bytes are those of two digits each.
WIDE_MACS = {r"smlal2?": 4, r"vmlal\.s16": 4, r"smlad": 2, r"mla(hi)?": 1, r"sdot": 16 / 3, r"smmla": 32 / 3}
# What the reference multiplies with: an integer, a scalar of the FPU, or the compiler's helper where there is none.
SCALAR_MACS = {r"mla": 1, r"vmul\.f32": 1, r"bl __aeabi_fmul": 1}
# Kernels of the reference that are a core's best.
REFERENCE_RUNS = {"cortex-m3": "gemm_f32_", "cortex-m4": "gemm_f32_f32_", "cortex-m7": "gemm_f32_f32_", "cortex-m33": "gemm_f32_f32_", "cortex-m55": "gemm_f32_qa13_"}
DISPATCH = pathlib.Path(__file__).parents[2] / "kernels_int8/dispatch"
BRANCH = re.compile(r"(b\.\w+|b(ne|eq|hi|ls|cc|cs|lt|gt|le|ge|hs|lo)(\.[nw])?|cbn?z|le)$")


def functions(objdump, library):
    """(object, demangled name, [(address, mnemonic, operands)])"""
    text = subprocess.run(objdump.split() + ["-d", "-C", "--no-show-raw-insn", library], check=True, capture_output=True, text=True).stdout
    member = name = None
    body = []
    for line in text.splitlines() + ["0 <>:"]:
        if re.match(r"\S+\.o(bj)?:\s+file format", line):
            if name:
                yield member, name, body
            member, name, body = line.split(":")[0].replace(".obj", ".o"), None, []
        elif match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            if name:
                yield member, name, body
            name, body = match.group(1), []
        elif match := re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*)$", line):
            body.append((int(match.group(1), 16), match.group(2), match.group(3)))


def macs_of(instructions, table):
    called = [f"bl {operands.split('<')[-1][:-1]}" if op == "bl" else op for _, op, operands in instructions]
    return sum(n for op in called for pattern, n in table.items() if re.fullmatch(pattern, op))


def innermost_loops(body, table, branch=BRANCH):
    """[(first, last)] of the loops that multiply and hold no other such loop."""
    index = {address: i for i, (address, _, _) in enumerate(body)}
    spans = []
    for i, (_, op, operands) in enumerate(body):
        target = re.search(r"(?:^|[\s,])([0-9a-f]+) <", operands)
        if target and branch.match(op) and index.get(int(target.group(1), 16), i + 1) <= i:
            first = index[int(target.group(1), 16)]
            if macs_of(body[first:i + 1], table):
                spans.append((first, i))
    return [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]


def main_loop(body, table):
    """The innermost loop with the fewest instructions per multiply-accumulate, of those with at least half as many as any has (a jump back from code
    that the compiler moved to the end looks like a loop, too), as a list of instructions; None if there is none."""
    inner = innermost_loops(body, table)
    macs = {s: macs_of(body[s[0]:s[1] + 1], table) for s in inner}
    large = [s for s in inner if 2 * macs[s] >= max(macs.values())]
    best = min(large, key=lambda s: (s[1] + 1 - s[0]) / macs[s], default=None)
    return body[best[0]:best[1] + 1] if best else None


def runs_as_reference(kernel, target):
    return kernel.startswith(REFERENCE_RUNS.get(target, "none"))


def tile_of(member, name, target):
    """'gemm_f32_qa8_qw8_5x16_dotprod 5x16' for a tile function; None for others and for tiles with masks."""
    match = re.search(r"(SdotRows8::tile<(true|false), .*\)(\d), |half_panel_tiles<)(\d+)>\(", name)
    if match:  # all tiles of a panel
        kernel = member.removesuffix(".cc.o").replace("gemm_qw8", "gemm_f32_qa8_qw8")
        words = ["panel"] + (["small"] if match.group(2) == "true" else []) + ([["same", "float", "integer"][int(match.group(3))]] if match.group(3) else [])
        return " ".join([f"{kernel} {match.group(4)}x{16 if match.group(3) else 8}", *words])
    match = re.search(r"\bRows(8|16)::tile<(.*?)(\d+), (\d+)>\(", name)
    if match:
        kernel = member.removesuffix(".cc.o").replace("gemm_qw8", f"gemm_f32_qa{match.group(1)}_qw8")
        # i8mm: how rows and weights lie for the tile.
        form = re.search(r"MatrixSumsOf<\(ert::kernels::Layout\)(\d), (true|false)>", match.group(2))
        words = ["interleaved"] if form and form.group(1) == "1" and "n8k8" not in kernel else []
        words += ["pairs"] if form and form.group(2) == "true" else []
        return " ".join([f"{kernel} {match.group(3)}x{4 * int(match.group(4))}", *words])
    match = re.search(r"(OneSum|TwoDigits|Rows8|Rows16)<\(ert::kernels::Layout\)(\d)>::tile(?:<(\d)>)?\(", name)
    if match:  # Cortex-M: two columns; OneSum serves both forms of rows
        rows = "qa8" if match.group(1) in ("OneSum", "Rows8") else "qa16"
        layout = {"0": "", "1": "n8k8", "2": "n2k16"}[match.group(2)]
        kernel = member.removesuffix(".cc.o").replace("gemm_qw8", f"gemm_f32_{rows}_qw8{layout}")
        return f"{kernel} {match.group(3) or 1}x2"
    match = re.search(r"(?:Digits|Lanes)Form::tile<(\d+)>\(", name)
    if match:
        return f"{member.removesuffix('.cc.o').replace('wide_', 'gemm_')} {match.group(1)}x16"
    match = re.search(r"wide_tile<(\d+), (\d+)>\(", name)
    if match:
        return f"{member.removesuffix('.cc.o').replace('wide_', 'gemm_')} {match.group(1)}x{16 * int(match.group(2))}"
    match = re.match(r"ert::kernels::(?:gemm|wide)_(f32_\w+_1x1_(?:ref|dsp))\(", name)
    if match:  # the reference's GEMM of W12A13 is its convolution
        kernel = "gemm_" + match.group(1)
        return f"{kernel} 1x1" if not kernel.endswith("_ref") or runs_as_reference(kernel, target) else None
    match = re.search(r"gemm_tile<(\d+), (\d+), false>\(", name)
    kernel = member.removesuffix(".cc.o").replace("fp32_", "gemm_f32_f32_f32_")
    return f"{kernel} {match.group(1)}x{16 * int(match.group(2))}" if match else None


def table_of(member, tile):
    if "_qa13_" in tile:
        return WIDE_MACS
    return SCALAR_MACS if tile.endswith("_ref 1x1") else FLOAT_MACS if member.startswith("fp32") else INTEGER_MACS


def loops(objdump, library, target):
    found = {}
    for member, name, body in functions(objdump, library):
        tile = tile_of(member, name, target)
        table = table_of(member, tile) if tile else None
        loop = main_loop(body, table) if tile else None
        if loop:
            found[tile] = (loop, macs_of(loop, table))
    return found


def kernels_that_run(objdump, library, target):
    """GEMMs of kernel_list.inc and wide_linear.cc in the library; of the reference those that are the core's best."""
    listed = set(re.findall(r"^ERT_KERNEL\(\w+, gemm\w*[^,]*, (\w+)\)", (DISPATCH / "kernel_list.inc").read_text(), re.M))
    listed |= set(re.findall(r"GemmFn kGemm = (\w+);", (DISPATCH / "wide_linear.cc").read_text()))
    symbols = subprocess.run([objdump.split()[0], "-t", "-C", library], check=True, capture_output=True, text=True).stdout
    built = listed & set(re.findall(r" ert::kernels::(\w+)\(", symbols))
    return {name for name in built if not name.endswith("_ref") or runs_as_reference(name, target)}


def without_loop(kernels, found):
    """Kernels of which no loop was found: the names of their functions changed, or their loop does."""
    return sorted(kernels - {tile.split()[0] for tile in found})


def compare(measured, recorded):
    """Faults: loops above their record, recorded loops that are gone, and new ones that nobody recorded."""
    faults = [f"{tile}: {measured[tile]:.4f} instructions per MAC, recorded {value:.4f}"
              for tile, value in recorded.items() if tile in measured and measured[tile] > value * TOLERANCE]
    faults += [f"{tile}: not recorded (--record)" for tile in measured if tile not in recorded]
    return faults + [f"{tile}: recorded, but no longer there" for tile in recorded if tile not in measured]


def canary(kernels, found, measured):
    """A kernel whose tiles are not recognised must be seen. Four instructions planted into every loop must be seen, and missing loops too."""
    assert without_loop(kernels, {}) == sorted(kernels) and len(kernels) > 0, "the check is blind to kernels that it does not count"
    planted = {tile: (len(loop) + 4) / macs for tile, (loop, macs) in found.items()}
    assert len(compare(planted, measured)) == len(measured), "the check is blind to added instructions"
    assert len(compare({}, measured)) == len(measured), "the check is blind to missing loops"
    assert len(compare(measured, {})) == len(measured), "the check is blind to loops without a record"


def main(target, library, objdump, *options):
    found, kernels = loops(objdump, library, target), kernels_that_run(objdump, library, target)
    measured = {tile: round(len(loop) / macs, 4) for tile, (loop, macs) in found.items()}
    modelled = core_models.modelled(found, target)
    compiler = subprocess.run([objdump.split()[0].replace("objdump", "g++"), "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    mca = core_models.mca_tool()[1]
    records = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "--record" in options:
        records[target] = {"compiler": f"g++ {compiler}", "llvm_mca": mca, "instructions_per_mac": dict(sorted(measured.items())),
                           "modelled_mac_per_cycle": dict(sorted(modelled.items()))}
        RECORD.write_text(json.dumps(records, indent=1) + "\n")
        return 0
    record = records[target]
    canary(kernels, found, measured)
    core_models.canary(modelled)
    faults = compare(measured, record["instructions_per_mac"]) + [f"{kernel}: no loop was found" for kernel in without_loop(kernels, found)]
    faults += core_models.compare(modelled, record["modelled_mac_per_cycle"], mca == record["llvm_mca"])
    same_compiler = record["compiler"] == f"g++ {compiler}"
    other = "" if same_compiler else f" (no fault: recorded with {record['compiler']}, this is g++ {compiler})"
    print(f"{target}: {len(measured)} inner loops of {len(kernels)} kernels, {len(faults)} worse than recorded{other}")
    for fault in faults:
        print("  " + fault)
    core_models.print_models(modelled)
    return 1 if faults and same_compiler else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
