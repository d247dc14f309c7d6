"""MAC per cycle that models of cores give for the GEMM loops, beside the goals. Modelled, not measured: the loop alone, without the fp32 epilogue, operands in
the nearest cache. Out-of-order cores: llvm-mca. In-order A53 and A55: issue_slots.py. Cortex-M: counted here.

The goals are those of the design for whole GEMMs of at least 32 rows, so a loop must be above its goal for the GEMM to reach it. A core without a goal has '-'."""
import re
import shutil
import subprocess

import issue_slots

# LLVM 19 is the first with models of its own for the Neoverse cores. N1, N2 and V2 stand for the Cortex cores of the same design (A76, A710, X3), which LLVM
# gives older models; its A72 is the A57, and of ARMv7 cores it has the A9.
MCA = ["llvm-mca-19", "llvm-mca"]
# level and target: cores that run it
CORES = {("neon", "aarch64"): ["cortex-a53", "cortex-a72"], ("neon_inorder", "aarch64"): ["cortex-a53"], ("neon", "armv7"): ["cortex-a9"],
         ("dotprod", "aarch64"): ["cortex-a55", "neoverse-n1"], ("dotprod_inorder", "aarch64"): ["cortex-a55"],
         ("i8mm", "aarch64"): ["neoverse-n2", "neoverse-v2"], ("dsp", "cortex-m4"): ["cortex-m4"], ("dsp", "cortex-m7"): ["cortex-m7"],
         ("dsp", "cortex-m33"): ["cortex-m33"], ("ref", "cortex-m3"): ["cortex-m3"], ("mve", "cortex-m55"): ["cortex-m55"]}
# Where a level is not what these cores run by default, its figure is beside no goal.
NOT_DEFAULT = {("neon", "cortex-a53"), ("dotprod", "cortex-a55")}
STANDS_FOR = {"neoverse-n1": "A76", "neoverse-n2": "A710", "neoverse-v2": "X3"}
# MAC per cycle of int8 GEMMs with 8-bit activations. M3, M7 and M33 have no goal of their own.
GOALS = {"cortex-a53": 4, "cortex-a55": 12, "cortex-a72": 6.4, "neoverse-n1": 26, "neoverse-n2": 48, "neoverse-v2": 80, "cortex-m55": 6.5, "cortex-m4": 0.7}
TOLERANCE = 0.98
ROUNDS = 200


def mca_tool():
    """(command, its version), or (None, None)"""
    command = next((name for name in MCA if shutil.which(name)), None)
    if command is None:
        return None, None
    text = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    return command, re.search(r"LLVM version (\S+)", text).group(1)


def mca_cycles(command, loop, target, cpu):
    """Cycles of a loop of (address, mnemonic, operands); None if the tool has no model of the core."""
    triple = "aarch64-linux-gnu" if target == "aarch64" else "armv7-linux-gnueabihf"
    attributes = "+dotprod,+i8mm" if target == "aarch64" else "+neon"
    lines = []
    for _, op, operands in loop:
        operands = re.sub(r"\s*(//|;|@).*$", "", re.sub(r"\b[0-9a-f]+ <.*>", ".Lloop", operands))
        lines.append(f"{re.sub(r'[.][nw]$', '', op)} {operands}")
    result = subprocess.run([command, f"-mtriple={triple}", f"-mcpu={cpu}", f"-mattr={attributes}", f"-iterations={ROUNDS}"],
                            input=".Lloop:\n" + "\n".join(lines) + "\n", capture_output=True, text=True)
    total = re.search(r"Total Cycles:\s+(\d+)", result.stdout)
    return int(total.group(1)) / ROUNDS if total and result.returncode == 0 else None


def cortex_m_cycles(loop, cpu):
    """M4: a cycle an instruction, two for the first of a run of loads, three for the branch back. M3: as M4, but two for a mla.
    M33: counted as M4. M7: two instructions a cycle, of which one
    may multiply and one be another SIMD instruction; its branch is predicted. M55: a vector instruction takes two cycles and its second one overlaps with an
    instruction of another pipe (load, multiply); a gathered load takes two more."""
    if cpu == "cortex-m7":
        simd = sum(re.match(r"[su]xtb16", op) is not None for _, op, _ in loop)
        return max(len(loop) / 2, simd, sum(re.match(r"sml|mla|mul", op) is not None for _, op, _ in loop))
    cycles, last = 0, ""
    for _, op, operands in loop:
        if cpu == "cortex-m55":
            kind = "load" if op.startswith("vldr") else "multiply" if op.startswith("vml") else "core"
            cycles += 2 if re.search(r"\[(\w+, )?q\d", operands) else 0
            cycles += 0 if op == "le" else 2 if kind == last and kind != "core" else 1
        else:
            kind = "load" if op.startswith("ldr") else "core"
            branch = re.match(r"b(ne|eq|hi|ls|cc|cs|lt|gt|le|ge|hs|lo)|cbn?z", op)
            slow = kind == "load" and last != "load" or cpu == "cortex-m3" and op == "mla"
            cycles += 2 if slow else 3 if branch else 1
        last = kind
    return cycles


def widest_tiles(found):
    """{tile: (loop, macs)}: of each kernel, in each form that rows and weights have for it, the tile that does most at once."""
    widest = {}
    for tile, (loop, macs) in found.items():
        kernel, shape, *form = tile.split()
        kernel, size = (kernel, *form), (macs, int(shape.split("x")[0]))
        if kernel not in widest or size > widest[kernel][0]:
            widest[kernel] = size, tile
    return {tile: found[tile] for _, tile in widest.values()}


def level_of(tile):
    return re.search(r"_\d+x\d+_(\w+) ", tile).group(1)


def modelled(found, target):
    """{'tile, core': MAC per cycle} of the widest tile of each kernel on each core that runs its level."""
    issue_slots.check_rules()
    command, _ = mca_tool()
    values = {}
    for tile, (loop, macs) in widest_tiles(found).items():
        if any(op == "bl" for _, op, _ in loop):
            continue  # the helper's cycles are not the loop's
        for cpu in CORES.get((level_of(tile), target), []):
            if cpu in issue_slots.IN_ORDER:
                cycles = issue_slots.cycles_of(loop, cpu)
            elif cpu.startswith("cortex-m"):
                cycles = cortex_m_cycles(loop, cpu)
            else:
                cycles = mca_cycles(command, loop, target, cpu) if command else None
            if cycles:
                values[f"{tile}, {cpu}"] = round(macs / cycles, 3)
    return values


def has_slots(name):
    """True where the figure needs no tool, so that it must hold everywhere."""
    return name.split(", ")[1] in issue_slots.IN_ORDER or "cortex-m" in name


def compare(values, recorded, same_tool):
    """Faults: figures more than 2 % below their record, recorded ones that are gone, new ones. What another llvm-mca says is no fault."""
    names = [name for name in recorded if has_slots(name) or same_tool]
    faults = [f"{name}: modelled {values[name]} MAC per cycle, recorded {recorded[name]}" for name in names
              if name in values and values[name] < recorded[name] * TOLERANCE]
    faults += [f"{name}: modelled figure recorded, but no longer there" for name in names if name not in values]
    return faults + [f"{name}: modelled figure not recorded (--record)" for name in values if name not in recorded and (has_slots(name) or same_tool)]


def canary(values):
    slower = {name: value * 0.97 for name, value in values.items()}
    assert len(compare(slower, values, True)) == len(values), "the check is blind to slower loops"
    assert len(compare({}, values, True)) == len(compare(values, {}, True)) == len(values), "the check is blind to missing figures"


def goal_of(name):
    """The goal beside a figure; None where the design has none (fp32, W8A16, M3, M7, M33, ARMv7) or the core runs another level."""
    tile, cpu = name.split(", ")
    return GOALS.get(cpu) if "_qa8_" in tile and (level_of(tile), cpu) not in NOT_DEFAULT else None


def print_models(values):
    _, version = mca_tool()
    print(f"  MODELLED MAC per cycle of the loops of the widest tiles, not measured (A53, A55, Cortex-M: issue slots by hand; else llvm-mca {version or 'missing: left out'})")
    print(f"  {'tile':48} {'core':18} {'modelled':>8} {'goal':>5}")
    for name, value in values.items():
        tile, cpu = name.split(", ")
        goal = goal_of(name)
        core = f"{cpu} ({STANDS_FOR[cpu]})" if cpu in STANDS_FOR else cpu
        verdict = "" if goal is None else "  reached" if value >= goal else f"  MISSED, {100 * value / goal:.0f} % of it"
        print(f"  {tile:48} {core:18} {value:8.2f} {'-' if goal is None else goal:>5}{verdict}")
