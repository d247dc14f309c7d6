#!/usr/bin/env python3
"""The rows of kernels_int8/contract/isa_levels.inc, for checks that go by levels. As a program it finds what the compiler cannot: a level that another
list names and that has no row. Exit 1 lists them.

usage: isa_levels.py ROOT [--hidden-above LEVEL]    the second: prints the CPU features to hide for LEVEL to be the best (ERT_HIDDEN_CPU_FEATURES)"""
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


def hidden_above(root, best):
    """Bits ERT_CPU_* of what the levels of best's architectures behind it need and best does not."""
    levels = read(root)
    if best not in levels or levels[best]["number"] is None:
        raise SystemExit(f"no level '{best}'; there are {', '.join(name for name, level in levels.items() if level['number'] is not None)}")
    architectures = set(levels[best]["architectures"]) or {a for level in levels.values() for a in level["architectures"]}
    behind = list(levels)[list(levels).index(best) + 1 :]
    hidden = set().union(*(levels[name]["needs"] for name in behind if architectures & set(levels[name]["architectures"]))) - levels[best]["needs"]
    bits = dict(re.findall(r"#define (ERT_CPU_\w+) \(1u << (\d+)\)", (pathlib.Path(root) / "platform/cpu_features.h").read_text()))
    return hex(sum(1 << int(bits[feature]) for feature in hidden))


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
    if sys.argv[2:3] == ["--hidden-above"]:
        print(hidden_above(sys.argv[1], sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1]))
