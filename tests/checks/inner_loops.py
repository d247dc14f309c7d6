#!/usr/bin/env python3
"""Instructions per multiply-accumulate of the GEMM inner loops, counted in the disassembly of a cross build, against the recorded
figures (inner_loops.json): more than 2 % above fails. Emulators cannot measure time; this is what keeps a spill or a lost
instruction from going unnoticed. With llvm-mca it adds MAC per cycle as that tool's core models predict: modelled, not measured.

usage: inner_loops.py TARGET LIBRARY.a 'OBJDUMP [OPTION...]' [--record] [--model]
Exit 1 if a loop got worse or is missing. Figures belong to the compiler they were recorded with; another one is only reported."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

RECORD = pathlib.Path(__file__).with_name("inner_loops.json")
TOLERANCE = 1.02
# Multiply-accumulates of one instruction. fp32 tiles have nothing but fmul and fadd; in the int8 ones fmul is epilogue.
INTEGER_MACS = {r"[su]?sdot": 16, r"usdot": 16, r"smmla|usmmla": 32, r"sm(ull|lal)2?": 8, r"vm(ull|lal)\.s8": 8,
                r"smlad": 2, r"vmlava\.s8": 16}
FLOAT_MACS = {r"fmul": 4, r"vmul\.f32": 4}
BRANCH = re.compile(r"(b\.\w+|b(ne|eq|hi|ls|cc|cs|lt|gt|le|ge|hs|lo)(\.[nw])?|cbn?z|le)$")
# Cores that run the level and that llvm-mca models. LLVM 14 describes cortex-a72 and a76 by the A57, and no core with i8mm.
MODELS = {"neon": {"aarch64": ["cortex-a53", "cortex-a72"], "armv7": ["cortex-a9"]},
          "dotprod": {"aarch64": ["cortex-a55", "cortex-a76"]}}


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
    return sum(n for _, op, _ in instructions for pattern, n in table.items() if re.fullmatch(pattern, op))


def main_loop(body, table):
    """The innermost loop with the most multiply-accumulates, as a list of instructions; None if there is none."""
    index = {address: i for i, (address, _, _) in enumerate(body)}
    spans = []
    for i, (_, op, operands) in enumerate(body):
        target = re.search(r"(?:^|[\s,])([0-9a-f]+) <", operands)
        if target and BRANCH.match(op) and index.get(int(target.group(1), 16), i + 1) <= i:
            first = index[int(target.group(1), 16)]
            if macs_of(body[first:i + 1], table):
                spans.append((first, i))
    inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
    best = max(inner, key=lambda s: macs_of(body[s[0]:s[1] + 1], table), default=None)
    return body[best[0]:best[1] + 1] if best else None


def tile_of(member, name):
    """'gemm_f32_qa8_qw8_5x16_dotprod 5x16' for a tile function; None for others and for tiles with masks."""
    match = re.search(r"Rows(8|16)::tile<.*?(\d+), (\d+)>\(", name)
    if match:
        kernel = member.removesuffix(".cc.o").replace("gemm_qw8", f"gemm_f32_qa{match.group(1)}_qw8")
        return f"{kernel} {match.group(2)}x{4 * int(match.group(3))}"
    match = re.search(r"(OneSum|TwoDigits|Rows8|Rows16)<\(ert::kernels::Layout\)(\d)>::tile(?:<(\d)>)?\(", name)
    if match:  # Cortex-M: two columns; OneSum serves both forms of rows
        rows = "qa8" if match.group(1) in ("OneSum", "Rows8") else "qa16"
        layout = {"0": "", "1": "n8k8", "2": "n2k16"}[match.group(2)]
        kernel = member.removesuffix(".cc.o").replace("gemm_qw8", f"gemm_f32_{rows}_qw8{layout}")
        return f"{kernel} {match.group(3) or 1}x2"
    match = re.search(r"gemm_tile<(\d+), (\d+), false>\(", name)
    return f"{member.removesuffix('.cc.o')} {match.group(1)}x{16 * int(match.group(2))}" if match else None


def loops(objdump, library):
    found = {}
    for member, name, body in functions(objdump, library):
        tile = tile_of(member, name)
        table = FLOAT_MACS if member.startswith("fp32") else INTEGER_MACS
        loop = main_loop(body, table) if tile else None
        if loop:
            found[tile] = (loop, macs_of(loop, table))
    return found


def compare(measured, recorded):
    """Faults: loops above their record, recorded loops that are gone, and new ones that nobody recorded."""
    faults = [f"{tile}: {measured[tile]:.4f} instructions per MAC, recorded {value:.4f}"
              for tile, value in recorded.items() if tile in measured and measured[tile] > value * TOLERANCE]
    faults += [f"{tile}: not recorded (--record)" for tile in measured if tile not in recorded]
    return faults + [f"{tile}: recorded, but no longer there" for tile in recorded if tile not in measured]


def canary(found, measured):
    """Three instructions planted into every loop must be seen, and missing loops too."""
    planted = {tile: (len(loop) + 3) / macs for tile, (loop, macs) in found.items()}
    assert len(compare(planted, measured)) == len(measured), "the check is blind to added instructions"
    assert len(compare({}, measured)) == len(measured), "the check is blind to missing loops"
    assert len(compare(measured, {})) == len(measured), "the check is blind to loops without a record"


def modelled_macs_per_cycle(loop, macs, target, cpu):
    triple = "aarch64-linux-gnu" if target == "aarch64" else "armv7-linux-gnueabihf"
    lines = []
    for _, op, operands in loop:
        operands = re.sub(r"\s*(//|;|@).*$", "", re.sub(r"([0-9a-f]+) <[^>]*>", ".Lloop", operands))
        lines.append(f"{re.sub(r'[.][nw]$', '', op)} {operands}")
    attributes = "+dotprod,+i8mm" if target == "aarch64" else "+neon"
    result = subprocess.run(["llvm-mca", f"-mtriple={triple}", f"-mcpu={cpu}", f"-mattr={attributes}", "-iterations=200"],
                            input=".Lloop:\n" + "\n".join(lines) + "\n", capture_output=True, text=True)
    cycles = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    return macs * 200 / int(cycles.group(1)) if cycles and result.returncode == 0 else None


def counted_macs_per_cycle(loop, macs, target):
    """Cortex-M, counted by hand: M4 takes a cycle an instruction, two for the first of a run of loads, three for the branch back. On M55
    a vector instruction takes two cycles and its second one overlaps with an instruction of another pipe (load, multiply); a gathered load takes two more."""
    cycles, last = 0, ""
    for _, op, operands in loop:
        if target == "cortex-m55":
            kind = "load" if op.startswith("vldr") else "multiply" if op.startswith("vml") else "core"
            cycles += 2 if re.search(r"\[\w+, q\d", operands) else 0
            cycles += 0 if op == "le" else 2 if kind == last and kind != "core" else 1
        else:
            kind = "load" if op.startswith("ldr") else "core"
            cycles += 2 if kind == "load" and last != "load" else 3 if BRANCH.match(op) else 1
        last = kind
    return macs / cycles


def rows_of(tile):
    return int(tile.split()[1].split("x")[0])


def print_models(found, target):
    print("  modelled MAC per cycle (llvm-mca, Cortex-M counted by hand; not measured), widest tile of each kernel")
    widest = {}
    for tile, (loop, macs) in found.items():
        kernel = tile.split()[0]
        if kernel not in widest or (macs, rows_of(tile)) > (widest[kernel][1], rows_of(widest[kernel][2])):
            widest[kernel] = (loop, macs, tile)
    for kernel, (loop, macs, tile) in widest.items():
        level = kernel.rsplit("_", 1)[1]
        if target.startswith("cortex-m"):
            print(f"  {tile:44} {target:12} {counted_macs_per_cycle(loop, macs, target):6.2f}")
        for cpu in MODELS.get(level, {}).get(target, []):
            value = modelled_macs_per_cycle(loop, macs, target, cpu)
            print(f"  {tile:44} {cpu:12} {value:6.1f}" if value else f"  {tile:44} {cpu:12} no model")


def main(target, library, objdump, *options):
    found = loops(objdump, library)
    measured = {tile: round(len(loop) / macs, 4) for tile, (loop, macs) in found.items()}
    compiler = subprocess.run([objdump.split()[0].replace("objdump", "g++"), "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    records = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if "--record" in options:
        records[target] = {"compiler": f"g++ {compiler}", "instructions_per_mac": dict(sorted(measured.items()))}
        RECORD.write_text(json.dumps(records, indent=1) + "\n")
        return 0
    recorded = records[target]["instructions_per_mac"]
    canary(found, measured)
    faults = compare(measured, recorded)
    same_compiler = records[target]["compiler"] == f"g++ {compiler}"
    other = "" if same_compiler else f" (no fault: recorded with {records[target]['compiler']}, this is g++ {compiler})"
    print(f"{target}: {len(measured)} inner loops, {len(faults)} worse than recorded{other}")
    for fault in faults:
        print("  " + fault)
    if "--model" in options and shutil.which("llvm-mca"):
        print_models(found, target)
    return 1 if faults and same_compiler else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
