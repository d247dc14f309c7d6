#!/usr/bin/env python3
"""Branch coverage of a build of the preset coverage-runtime, by gcov, after its tests have run. (Of the converter: condition_coverage.py.)

    tests/checks/coverage.py ROOT BUILD [--missed PREFIX]    --missed: lines with branches that were not taken, of files that begin so

Branches are those of the source at -O0: both ways of each operand of a condition. Ways that only exceptions take are left out, and
instantiations of a template count as one. So do the copies of an inline function: the linker takes one of them, which may be that in a test's object. Ways behind a check of redundant_checks.txt, which no file can take, are counted apart: they
neither count as taken nor against the goal. Exit 1 where a group is below its goal."""
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

# Name, goal in per cent, files.
GROUPS = [
    ("loader and verifier", 100.0, r"rt/(verify|loading)/|rt/blob/header\.cc|rt/text/(open|task)\.cc"),
    ("runtime", 95.0, r"rt/"),
]


def gcov(root, objects):
    """The JSON documents of object files: what they have of files below root."""
    command = ["gcov", "--json-format", "--stdout", "--branch-counts", "--branch-probabilities", "--relative-only", "--source-prefix", str(root)]
    ask = lambda some: subprocess.run([*command, *some], capture_output=True, text=True).stdout
    few = os.cpu_count() * 10  # the answers of all would not fit into memory
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in range(0, len(objects), few):
            for out in pool.map(ask, [objects[i:i + 10] for i in range(first, min(first + few, len(objects)), 10)]):
                yield from (json.loads(line) for line in out.splitlines() if line.startswith("{"))


# Tests that compile sources of the runtime in another form, whose branches are not those of the library.
OTHER_FORMS = ("soft_flush", "rt_text_one_kind_test", "rt_without_signature_test")


def objects_of(build):
    """(objects of the library, objects of tests): of the latter only what they have of headers counts."""
    own = [str(p) for p in (build / "rt").rglob("*.gcno") if "/example/" not in str(p)]
    tests = [str(p)[:-len("gcda")] + "gcno" for p in (build / "tests").rglob("*.gcda") if not any(form in str(p) for form in OTHER_FORMS)]
    return sorted(own), sorted(tests)


def branches_of(root, build):
    """{file: {line: [count, ..]}}; nothing of objects that never ran is left out: their branches count as not taken."""
    taken = collections.defaultdict(lambda: collections.defaultdict(list))
    own, tests = objects_of(build)
    documents = itertools.chain(zip(gcov(root, own), itertools.repeat(r"rt/")), zip(gcov(root, tests), itertools.repeat(r"rt/.*\.h$")))
    for document, pattern in documents:
        for file in document["files"]:
            path = os.path.relpath(os.path.normpath(os.path.join(document["current_working_directory"], file["file"])), root)
            if not re.match(pattern, path):
                continue
            for line in file["lines"]:
                counts = [b["count"] for b in line["branches"] if not b["throw"]]
                known = taken[path][line["line_number"]]
                known += [0] * (len(counts) - len(known))
                for i, count in enumerate(counts):
                    known[i] += count
    return taken


def shadowed_ways(root):
    """{file: [text of a check that another one shadows]}."""
    checks = collections.defaultdict(list)
    for line in (root / "tests/checks/redundant_checks.txt").read_text().splitlines():
        if not line.startswith("#"):
            file, check = line.split(" | ")[0].split(": ", 1)
            checks[file].append(check)
    return checks


def shadowed(taken, root):
    """{(file, line): ways of listed checks that were not taken}: one of the check and one of the condition that it is part of."""
    ways = {}
    for file, checks in shadowed_ways(root).items():
        text = (root / file).read_text().splitlines()
        for number, counts in taken.get(file, {}).items():
            listed = sum(check in text[number - 1] for check in checks)
            if listed:
                ways[file, number] = min(counts.count(0), listed + 1)
    return ways


def main():
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    missed = sys.argv[4] if sys.argv[3:4] == ["--missed"] else None
    taken = branches_of(root, build)
    apart = shadowed(taken, root)
    below = 0
    for name, goal, pattern in GROUPS:
        counts = [c for file, lines in taken.items() if re.match(pattern, file) for line in lines.values() for c in line]
        if not counts:
            continue
        left_out = sum(n for (file, _), n in apart.items() if re.match(pattern, file))
        ways = len(counts) - left_out
        share = 100.0 * sum(c > 0 for c in counts) / ways
        below += share < goal
        print(f"{name:20} {sum(c > 0 for c in counts):6} of {ways:6} branches: {share:5.1f} % (goal {goal:.0f} %), {left_out} more behind checks that others shadow")
    if missed is not None:
        for file in sorted(f for f in taken if f.startswith(missed)):
            text = (root / file).read_text().splitlines()
            for number, counts in sorted(taken[file].items()):
                if counts.count(0) > apart.get((file, number), 0):
                    print(f"{file}:{number}: {sum(c > 0 for c in counts)}/{len(counts)} {text[number - 1].strip()}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
