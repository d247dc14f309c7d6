#!/usr/bin/env python3
"""No instruction outside its level: objects that run on every CPU of a target hold none that only some of them have. Tests on emulated lesser CPUs
show it for the code that they run; this shows it for all. Objects that may hold some define no weak symbols: an inline function that two objects have is
one function in the program, and it may be the one that was compiled for another level.

usage: isa_check.py TARGET OBJDUMP ARCHIVE...     exit 0 if it holds; TARGET: x86-64, aarch64 or armv7"""
import pathlib
import re
import subprocess
import sys

import isa_levels



ROOT = pathlib.Path(__file__).parents[2]


def objects_needing(feature):
    """Pattern of the objects of the levels that run only where the CPU has the feature."""
    return rf"_({'|'.join(isa_levels.needing(ROOT, feature))})\."


# Extension; its mnemonics; a pattern that the operands must hold; the objects that may have it, since they run only after a look at the CPU.
RULES = {
    "x86-64": [("SSE3 to SSE4.1", r"movddup|movs[lh]dup|lddqu|h(add|sub)p[sd]|ph(add|sub)\w+|psign[bwd]|pabs[bwd]|pmaddubsw|pmulhrsw|pshufb|palignr|pmov[sz]x\w+|pmuldq"
                r"|pmulld|pblend\w+|blendv?p[sd]|ptest|p(ins|ext)r[bdq]|extractps|insertps|round[sp][sd]|p(min|max)(sb|sd|uw|ud)|packusdw|pcmpeqq|mpsadbw|dpp[sd]|phminposuw|movntdqa",
                "", objects_needing("ERT_CPU_SSE41")),
               ("AVX", r"v(?!er[rw])[a-z]\w+", "", objects_needing("ERT_CPU_AVX2") + r"|crc32c_vpclmul\."),
               ("AVX-512", r"v\w+", r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])", objects_needing("ERT_CPU_AVX512VNNI") + r"|crc32c_vpclmul\."),
               ("CRC-32C", r"crc32\w*", "", r"crc32c_sse42\.")],
    "aarch64": [("dot product", r"[su]dot|usdot|sudot", "", objects_needing("ERT_CPU_DOTPROD")),
                ("i8mm", r"[su]mmla|usmmla", "", objects_needing("ERT_CPU_I8MM")),
                ("CRC-32C", r"crc32\w*", "", r"crc32c_armv8\."), ("SVE", r".*", r"\bz\d+\.[bhsd]|\bp\d+/[mz]", None),
                ("half floats", r"f(add|sub|mul|div|ml[as]|max\w*|min\w*|sqrt)", r"\bv\d+\.[48]h|\bh\d+", None),
                ("atomics", r"(ld|st)(add|set|clr|eor)[albh]*|swp[albh]*|cas[alphb]*", "", None)],
    "armv7": [("NEON", r"v\w+(\.\w+)?", r"\bq\d+|\bd(1[6-9]|2\d|3[01])\b", objects_needing("ERT_CPU_NEON")),
              ("division, fused multiply", r"[su]div|vfn?m[as]\S*", "", None)],
}
# What every CPU of a target has: levels that need nothing else may run anywhere, so that no rule is about them.
ALWAYS = {"aarch64": {"ERT_CPU_NEON"}}


def lines(archive, *command):
    """(object, line) of what objdump prints of each object: `NAME.o:` of GNU, `ARCHIVE(NAME.o):` of LLVM."""
    text = subprocess.run([*command, archive], check=True, capture_output=True, text=True).stdout
    member = None
    for line in text.splitlines():
        if match := re.match(r"(?:.*\()?([^\s()]+\.o(bj)?)\)?:\s+file format", line):
            member = match.group(1)
        else:
            yield member, line


def instructions(objdump, archive):
    """(object, mnemonic, operands)"""
    for member, line in lines(archive, objdump, "-d", "--no-show-raw-insn"):
        if match := re.match(r"\s+[0-9a-f]+:\s+(\S+)\s*(.*)$", line):
            yield member, match.group(1), re.sub(r"<.*|//.*|@.*", "", match.group(2))


def weak_symbols(objdump, archive):
    """(object, symbol) of what an object defines and another may define, too."""
    for member, line in lines(archive, objdump, "-t", "-C"):
        if (match := re.match(r"[0-9a-f]+ ([ulg! ])(w?).{5} (\S+)\s+[0-9a-f]+\s+(.*)$", line)) and match.group(3) != "*UND*":
            if match.group(2) or match.group(1) in "u!":
                yield member, match.group(4)


def main(target, objdump, *archives):
    rules = [(name, re.compile(ops), re.compile(operands), allowed and re.compile(allowed)) for name, ops, operands, allowed in RULES[target]]
    found, objects, count = {name: 0 for name, *_ in rules}, set(), 0
    faults, weak = {}, 0
    for archive in archives:
        for member, symbol in weak_symbols(objdump, archive):
            weak += 1
            for name, _, _, allowed in rules:
                if allowed and allowed.search(member):
                    faults.setdefault((member, f"a weak symbol beside {name}"), symbol)
        for member, op, operands in instructions(objdump, archive):
            objects.add(member)
            count += 1
            for name, ops, pattern, allowed in rules:
                if ops.fullmatch(op) and pattern.search(operands):
                    if allowed and allowed.search(member):
                        found[name] += 1
                    else:
                        faults.setdefault((member, name), f"{op} {operands}")
    for (member, name), example in faults.items():
        print(f"{member}: {name} outside its level: {example}" if "weak" not in name else f"{member}: {name}: {example}")
    # Canary: what a rule allows must be there, or it recognises nothing.
    blind = [name for name, _, _, allowed in rules if allowed and not found[name]] + ([] if weak else ["weak symbols"])
    for name in blind:
        print(f"the check is blind: no object has {name}")
    needs = {name: level["needs"] - ALWAYS.get(target, set()) for name, level in isa_levels.read(ROOT).items()}
    for level in isa_levels.of_architecture(ROOT, target.replace("-", "_")):
        if needs[level] and not any(allowed and allowed.search(f"_{level}.") for _, _, _, allowed in rules):
            blind.append(level)
            print(f"the check is blind: no rule knows what instructions the level {level} may have")
    if faults or blind or not count:
        return 1
    print(f"{target}: {count} instructions of {len(objects)} objects, none outside its level "
          f"({', '.join(f'{name} {n}' for name, n in found.items())})")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
