#!/usr/bin/env python3
"""Branch coverage of the converter's source, by llvm-cov, after the tests of the preset coverage-converter have run.

    tests/checks/condition_coverage.py ROOT BUILD [--missed PREFIX]    --missed: conditions of which a way was not taken, of files that begin so

Branches are both ways of each condition that stands in the source: operands of &&, || and ?:, of if and loops, and cases. The compiler's own (destructors of
temporaries, exceptions) have no place in such a map; gcov counts them. Conditions that are
constants do not count, and instantiations of a template count as one. Profiles are those below BUILD/profiles (LLVM_PROFILE_FILE). Exit 1 below the goal."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

GOAL = 88.0
PATTERN = r"convert/"


def tool(build, name):
    """The one of the compiler's own version: formats of profiles differ."""
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.M)[1]
    return subprocess.run([compiler, f"-print-prog-name={name}"], capture_output=True, text=True, check=True).stdout.strip()


def merged_profile(build):
    profiles = sorted(str(p) for p in (build / "profiles").rglob("*.profraw"))
    if not profiles:
        sys.exit(f"no profiles below {build}/profiles: run the tests with LLVM_PROFILE_FILE={build}/profiles/%8m.profraw")
    merged = build / "profiles/all.profdata"
    # A test that ends its program in the middle of a write leaves a profile that cannot be read: it counts as not taken, and is named.
    done = subprocess.run([tool(build, "llvm-profdata"), "merge", "-sparse", "-failure-mode=all", "-o", str(merged), *profiles], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    if done.stderr:
        print(done.stderr.strip(), file=sys.stderr)
    return merged


def programs(build):
    """The command, and tests that have the converter's objects."""
    found = [build / "convert/edgeconv"]
    for p in sorted((build / "tests").rglob("*")):
        if p.suffix == "" and p.is_file() and os.access(p, os.X_OK):
            with p.open("rb") as f:
                if f.read(4) == b"\x7fELF":
                    found.append(p)
    return found


def export(llvm_cov, profile, program):
    out = subprocess.run([llvm_cov, "export", f"-instr-profile={profile}", "-skip-functions", str(program)], capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    return json.loads(out.stdout)["data"][0]["files"]


def is_folded(text):
    return re.search(r"if constexpr|while \(true\)|for \(;;\)", text) is not None


def branches_of(root, build):
    """{file: {(line, column): [taken, not taken]}} of all programs together: which of them has an object does not matter."""
    profile, llvm_cov = merged_profile(build), tool(build, "llvm-cov")
    taken = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for files in pool.map(lambda p: export(llvm_cov, profile, p), programs(build)):
            for file in files:
                path = os.path.relpath(file["filename"], root)
                if not re.match(PATTERN, path):
                    continue
                known = taken.setdefault(path, {})
                for b in file["branches"]:
                    counts = known.setdefault((b[0], b[1]), [0, 0])
                    counts[0] = max(counts[0], b[4])
                    counts[1] = max(counts[1], b[5])
    for path, known in taken.items():
        text = (root / path).read_text().splitlines()
        for place in [p for p, counts in known.items() if counts == [0, 0] and is_folded(text[p[0] - 1])]:
            del known[place]
    return taken


def main():
    root, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    missed = sys.argv[4] if sys.argv[3:4] == ["--missed"] else None
    taken = branches_of(root, build)
    counts = [c for known in taken.values() for pair in known.values() for c in pair]
    if not counts:
        sys.exit(f"no program of {build} has the converter")
    share = 100.0 * sum(c > 0 for c in counts) / len(counts)
    print(f"{'converter':20} {sum(c > 0 for c in counts):6} of {len(counts):6} branches: {share:5.1f} % (goal {GOAL:.0f} %)")
    if missed is not None:
        for file in sorted(f for f in taken if f.startswith(missed)):
            text = (root / file).read_text().splitlines()
            for (line, column), pair in sorted(taken[file].items()):
                if 0 in pair:
                    way = "never reached" if pair == [0, 0] else "never false" if pair[1] == 0 else "never true"
                    print(f"{file}:{line}:{column}: {way}: {text[line - 1].strip()}")
    return 1 if share < GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
