#!/usr/bin/env python3
"""The rows of kernels_int8/contract/isa_levels.inc, for checks that go by levels. As a program it finds what the compiler cannot: a level that another
list names and that has no row. Exit 1 lists them.

usage: isa_levels.py ROOT"""
import pathlib
import re
import sys

ROWS = "kernels_int8/contract/isa_levels.inc"
ROW = re.compile(r'^ERT_(ISA|TEST)_LEVEL\((k\w+), (\w+), (\w+), (\w+), (k\w+), (k\w+), ([^,"]+), "([^"]*)"\)$')
# What else names levels: file, and the pattern of a mention, whose group is the ID (and its number).
MENTIONS = {
    "kernels_int8/dispatch/kernel_list.inc": r"^#if ERT_BUILT_(\w+)$",
    "rt/include/ert.h": r"^  ERT_ISA_(\w+) = (\d+),?",
}


def read(root):
    """{name: {"id", "number" (None for tests), "base", "needs" (with those of the bases), "architectures"}} in the order of the rows."""
    levels, names = {}, {}
    for line in (pathlib.Path(root) / ROWS).read_text().splitlines():
        if not line.startswith("ERT_"):
            continue
        kind, enumerator, identifier, name, number, base, _, needs, builds = ROW.match(line).groups()
        names[enumerator] = name
        needs = {n for n in needs.split(" | ") if n != "0"}
        levels[name] = {"id": identifier, "number": int(number) if kind == "ISA" else None, "base": names[base],
                        "needs": needs | (levels[names[base]]["needs"] if names[base] != name else set()),
                        "architectures": re.findall(r"([\w-]+): ", builds)}
    return levels


def needing(root, feature):
    """Names of the levels whose code may use a CPU feature."""
    return [name for name, level in read(root).items() if feature in level["needs"]]


def of_architecture(root, architecture):
    """Names of the levels that a product for it has beside ref, from worse to better."""
    return [name for name, level in read(root).items() if architecture in level["architectures"] and level["number"] is not None]


def unknown(root, levels):
    known = {level["id"]: level["number"] for level in levels.values()}
    for file, pattern in MENTIONS.items():
        found = re.findall(pattern, (pathlib.Path(root) / file).read_text(), re.M)
        if not found:
            yield f"{file}: the check is blind: no level is named as it expects"
        for mention in found:
            identifier, number = mention if isinstance(mention, tuple) else (mention, None)
            if identifier not in known or (number is not None and known[identifier] != int(number)):
                yield f"{file}: {identifier} has no such row in {ROWS}"


def main(root):
    levels = read(root)
    planted = {name: level for name, level in levels.items() if name != "avx2"}
    assert len(list(unknown(root, planted))) == len(MENTIONS), "the check does not see a row that is missing"
    faults = list(unknown(root, levels))
    print("\n".join(faults) or f"{len(levels)} levels, all with a row")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
