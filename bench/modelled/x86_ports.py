#!/usr/bin/env python3
"""x86_ports.py [LIBRARY]: cycles for 64 products in the inner loops of the int8 GEMMs of AVX2 and SSE4.1 on each kind of core, in two forms: bytes by pmaddubsw
(signed_bytes.h, what W8A8 runs) and int16 by pmaddwd (gemm_tile.h, what W8A16 runs and W8A8 could). By llvm-mca, which gives ports out as instructions come, and
in brackets what ports, given out as well as can be, and the width of the core allow, where they are known here. LIBRARY: build/release/kernels_int8/libert_kernels.a.

Modelled, not measured: operands in the nearest cache, branches predicted, the loop alone. LLVM has one table for Silvermont and Goldmont and one for Nehalem and
Sandy Bridge; that of Alder Lake is of its large core, and of Gracemont it has none of its own. Its Skylake takes six instructions a cycle, the core four."""
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/checks"))
from core_models import mca_tool  # noqa: E402
from inner_loops import functions, innermost_loops, macs_of  # noqa: E402

LIBRARY = ROOT / "build/release/kernels_int8/libert_kernels.a"
JUMP = re.compile(r"j\w+$")
PRODUCTS = {"bytes": {"vpmaddubsw": 32, "pmaddubsw": 16}, "pmaddwd": {"vpmaddwd": 16, "pmaddwd": 8}}
BY_ROWS = "<(ert::kernels::(anonymous namespace)::Marks)1, 2, false>("
# level: {column: (object, what the tile's name ends with, form, which loop by instructions a product)}. The tiles of 32 rows, without prefetch. Two lines of
# weights are summed in int16 where they fit; else each goes by itself.
TILES = {"avx2": {"bytes, two lines": ("gemm_f32_qa8_qw8_4x16_avx2", "::two_panels_tile" + BY_ROWS, "bytes", 0),
                  "bytes, line by line": ("gemm_f32_qa8_qw8_4x16_avx2", "::two_panels_tile" + BY_ROWS, "bytes", -1),
                  "pmaddwd": ("gemm_f32_qa16_qw8_3x8_avx2", "::one_sum_tile<6, 1, false>(", "pmaddwd", 0)},
         "sse41": {"bytes, two lines": ("gemm_f32_qa8_qw8_2x16_sse41", "::pair_tile" + BY_ROWS, "bytes", 0),
                   "bytes, line by line": ("gemm_f32_qa8_qw8_2x16_sse41", "::pair_tile" + BY_ROWS, "bytes", -1),
                   "pmaddwd": ("gemm_f32_qa16_qw8_4x4_sse41", "::one_sum_tile<4>(", "pmaddwd", 0)}}
# Atoms from Silvermont on have SSE4.1, and none before Gracemont has AVX2; nor have Celerons and Pentiums with Skylake cores.
CORES = {"avx2": ("haswell", "skylake", "icelake-server", "sapphirerapids", "alderlake", "znver1", "znver2", "znver3", "znver4"),
         "sse41": ("silvermont", "goldmont", "nehalem", "sandybridge", "skylake", "znver1", "znver3")}
# core: instructions a cycle, and the ports of vector instructions (with or without the v of AVX) by uops.info. Loads and broadcasts from memory have ports of their own.
SKYLAKE = {"pmadd": "01", "pxor": "015", "padd": "015", "pmovsx": "5", "pshufd": "5", "psrldq": "5"}
ZEN1 = {"pmadd": "0", "pxor": "0123", "padd": "013", "pmovsx": "12", "pshufd": "12", "psrldq": "12"}
ZEN3 = {**ZEN1, "pmadd": "03", "padd": "0123"}
PORTS = {"haswell": (4, {**SKYLAKE, "pmadd": "0", "padd": "15"}), "skylake": (4, SKYLAKE), "icelake-server": (5, SKYLAKE), "sapphirerapids": (6, SKYLAKE),
         "alderlake": (6, SKYLAKE), "znver2": (5, ZEN1), "znver3": (6, ZEN3), "znver4": (6, ZEN3)}
ROUNDS = 200


def tile_loop(bodies, member, name, form, which):
    """The innermost loop of a tile: of those that multiply, by instructions a product."""
    table = PRODUCTS[form]
    body = next((body for file, function, body in bodies if file.startswith(member + ".") and name in function), None)
    if body is None:
        raise SystemExit(f"x86_ports.py: {member} has no function {name}: does the library have that level, was the tile renamed? (TILES)")
    loops = sorted((body[first:last + 1] for first, last in innermost_loops(body, table, JUMP)), key=lambda loop: len(loop) / macs_of(loop, table))
    if not loops:
        raise SystemExit(f"x86_ports.py: {name} of {member} has no loop with {' or '.join(table)}")
    return loops[which]


def assembly(loop):
    """A loop of objdump for llvm-mca. objdump shows `rep bsf` as the tzcnt that it is on newer cores; the others have only bsf."""
    lines = [f"{op.replace('tzcnt', 'bsf')} " + re.sub(r"\s*#.*$", "", re.sub(r"\b[0-9a-f]+ <.*>", ".Lloop", operands)) for _, op, operands in loop]
    return ".Lloop:\n" + "\n".join(lines) + "\n"


def by_llvm(command, loop, cpu):
    """Cycles of a round."""
    done = subprocess.run([command, "-mtriple=x86_64-linux-gnu", f"-mcpu={cpu}", f"-iterations={ROUNDS}"], input=assembly(loop), capture_output=True, text=True)
    total = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    if done.returncode != 0 or not total:
        raise SystemExit(f"{command} -mcpu={cpu}: {done.stderr.strip()}")
    return int(total.group(1)) / ROUNDS


def by_ports(loop, width, ports):
    """Cycles of a round: what the width takes for all instructions, and ports, given out as well as can be, for those that have only some of them."""
    uses = [frozenset(given) for _, op, _ in loop for start, given in ports.items() if re.match("v?" + start, op)]
    sets = (frozenset(some) for n in range(1, 6) for some in itertools.combinations("01235", n))
    return max([len(loop) / width] + [sum(use <= some for use in uses) / len(some) for some in sets])


def modelled(command, bodies, level):
    """{core: {column: (cycles for 64 products by llvm-mca, by ports or None)}}"""
    loops = {column: tile_loop(bodies, *tile) for column, tile in TILES[level].items()}
    scale = {column: 64 / macs_of(loops[column], PRODUCTS[tile[2]]) for column, tile in TILES[level].items()}
    rows = {}
    for cpu in CORES[level]:
        rows[cpu] = {column: (scale[column] * by_llvm(command, loop, cpu), scale[column] * by_ports(loop, *PORTS[cpu]) if cpu in PORTS else None)
                     for column, loop in loops.items()}
    return rows


def table(level, rows):
    """Markdown: cycles, those that the ports allow in brackets; pmaddwd over bytes, so that above 1 bytes are faster."""
    def shown(llvm, ports):
        return f"{llvm:.2f}" + (f" ({ports:.2f})" if ports else "")

    lines = [f"| {level} | " + " | ".join(TILES[level]) + " | pmaddwd / two lines | pmaddwd / line by line |", "|" + "---|" * 6]
    for cpu, row in rows.items():
        two, one, pairs = row.values()
        ratios = [shown(*(a / b if a and b else None for a, b in zip(pairs, of))) for of in (two, one)]
        lines.append(f"| {cpu} | " + " | ".join([shown(*two), shown(*one), shown(*pairs), *ratios]) + " |")
    return "\n".join(lines)


def main(library=LIBRARY):
    if not pathlib.Path(library).is_file():
        raise SystemExit(f"x86_ports.py: there is no {library}: `cmake --preset release && cmake --build --preset release --target ert_kernels` builds it")
    command, version = mca_tool()
    if command is None:
        raise SystemExit("x86_ports.py: llvm-mca is missing (Debian: llvm-19)")
    bodies = list(functions("objdump", str(library)))
    print(f"MODELLED cycles for 64 products, not measured: llvm-mca {version} (what the ports allow)")
    for level in TILES:
        print("\n" + table(level, modelled(command, bodies, level)))


if __name__ == "__main__":
    main(*sys.argv[1:])
