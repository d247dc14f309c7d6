#!/usr/bin/env python3
"""build_time.py REF [--skip-tests]: CPU time that a stranger's first commands take, here and at commit REF, in the same hour.

In fresh clones below build/build_time, with packages installed and without a compiler cache: ./quickstart.sh, then ./test.sh, then a rebuild of
edgeconv after a change of convert/ir/graph.h. The two commits take turns, so that whatever else the machine does falls on both. CPU time is
user + system of all processes. Prints a table and exits with 1 where a goal is missed: quickstart 40 %, test 55 %, rebuild 50 % of REF."""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOALS = {"quickstart.sh": 0.40, "test.sh": 0.55, "ir/graph.h": 0.50}


def clean_environment() -> dict[str, str]:
    caches = ("CCACHE", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")
    return {k: v for k, v in os.environ.items() if not k.startswith(caches)}


def clone(ref: str, name: str) -> pathlib.Path:
    folder = ROOT / "build" / "build_time" / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.check_call(["git", "clone", "-q", str(ROOT), str(folder)])
    subprocess.check_call(["git", "checkout", "-q", ref], cwd=folder)
    return folder


def measure(command: list[str], folder: pathlib.Path, log: pathlib.Path) -> tuple[float, float]:
    """CPU seconds and elapsed seconds of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with open(log, "wb") as out:
        status = subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=clean_environment()).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        sys.exit(f"{' '.join(command)} in {folder} ended with {status}; see {log}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def touch_graph(folder: pathlib.Path) -> None:
    header = folder / "convert" / "ir" / "graph.h"
    header.write_text(header.read_text() + "\n// changed\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ref")
    parser.add_argument("--skip-tests", action="store_true", help="leave test.sh out")
    arguments = parser.parse_args()
    commit = subprocess.check_output(["git", "rev-parse", arguments.ref + "^{commit}"], cwd=ROOT, text=True).strip()
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    folders = {"REF": clone(commit, "ref"), "here": clone(head, "here")}
    steps = [("quickstart.sh", ["./quickstart.sh"])]
    if not arguments.skip_tests:
        steps.append(("test.sh", ["./test.sh"]))
    steps.append(("ir/graph.h", ["cmake", "--build", "--preset", "release", "--target", "edgeconv"]))
    missed = False
    print(f"CPU seconds (elapsed) on {os.cpu_count()} cores; REF is {commit[:10]}, here {head[:10]}")
    for name, command in steps:
        taken = {}
        for which, folder in folders.items():
            if name == "ir/graph.h":
                touch_graph(folder)
            taken[which] = measure(command, folder, folder.parent / f"{which}_{name.replace('/', '_')}.log")
        ratio = taken["here"][0] / taken["REF"][0]
        missed |= ratio > GOALS[name]
        print(f"{name:14} REF {taken['REF'][0]:6.0f} ({taken['REF'][1]:.0f})   here {taken['here'][0]:6.0f} ({taken['here'][1]:.0f})   "
              f"{100 * ratio:.0f} % of it, goal {100 * GOALS[name]:.0f} %", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
