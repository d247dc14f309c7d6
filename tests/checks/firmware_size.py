#!/usr/bin/env python3
"""Bytes of a firmware image by part and kind, from the linker's map file.

usage: firmware_size.py MAP [PART=PATTERN ...]     further parts, by what the paths of their object files contain"""
import re
import sys

KINDS = {"text": r"\.(text|vectors)", "rodata": r"\.(rodata|data\.rel\.ro|ARM)", "data": r"\.data(?!\.rel\.ro)", "bss": r"\.(bss|COMMON)|COMMON"}
# Part, what its object files' paths contain. The first that fits.
PARTS = [
    ("runtime", r"rt/libert\.a|libert_kernels\.a|_op_table\.dir"),
    ("board", r"ert_board\.dir|libert_platform\.a"),
    ("compiler helpers", r"libgcc\.a"),
    ("model", r"model\.c"),
    ("application", r""),
]


def parts(path, rows=PARTS):
    """{part: {kind: bytes}}"""
    sizes = {part: dict.fromkeys(KINDS, 0) for part, _ in rows}
    text = open(path).read()
    text = text[text.index("Linker script and memory map"):]
    text = re.sub(r"\n (\.[^\s]+)\n\s+0x", r"\n \1 0x", text)  # long section names stand on a line of their own
    for section, size, file in re.findall(r"^ (\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", text, re.M):
        kind = next((k for k, pattern in KINDS.items() if re.match(f"({pattern})(\\.|$)", section)), None)
        if kind:
            part = next(p for p, pattern in rows if re.search(pattern, file))
            sizes[part][kind] += int(size, 16)
    return sizes


def table(sizes):
    rows = [f"  {'':17}" + "".join(f"{kind:>9}" for kind in KINDS)]
    for part, kinds in sizes.items():
        rows.append(f"  {part:17}" + "".join(f"{kinds[kind]:9}" for kind in KINDS))
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(parts(sys.argv[1], [tuple(asked.split("=", 1)) for asked in sys.argv[2:]] + PARTS)))
