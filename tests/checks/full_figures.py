#!/usr/bin/env python3
"""What the long tests of ./test.sh --full counted, from ctest's log of all tests: ctest itself prints the output of failing ones only.

usage: full_figures.py LASTTEST_LOG"""
import re
import sys

# Tests whose lines are figures: the full tier's, and of the quick tier those that SECURITY.md rests on.
WANTED = re.compile(r"(_full|_large|random_graphs_|wheel_test|rt_stack_limit|malformed)")
NO_FIGURE = re.compile(r"^(\[|Note: |Running main|seed \d+: exit|\s*$|-+$)")
MOST_LINES = 12


def main():
    log = open(sys.argv[1], "rb").read().decode("utf-8", "replace")
    for part in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        name = part.split("\n", 1)[0]
        output = re.search(r"^Output:\n-+\n(.*?)^<end of output>", part, re.M | re.S)
        seconds = re.search(r"^Test time = +([\d.]+) sec", part, re.M)
        if not WANTED.search(name) or not output:
            continue
        lines = [line for line in output.group(1).splitlines() if not NO_FIGURE.match(line)]
        print(f"{name}, {float(seconds.group(1)) if seconds else 0:.0f} s" + (":" if lines else ""))
        for line in lines[-MOST_LINES:]:
            print("  " + line[:200])


if __name__ == "__main__":
    main()
