#!/usr/bin/env python3
"""An upper bound of the stack that each public function needs, from the frames that the compiler states and the calls in the linked
image (call_graph.py), also those through pointers (indirect_calls.py). Fails when it is above the limit, when a frame has no fixed
size, when a function can call itself, or when a pointer may lead anywhere.

usage: stack_bound.py IMAGE BUILD LIMIT [--objdump PROGRAM] [--readelf PROGRAM] [--chain]
       --chain: print the deepest chain of calls, and not only when it is too deep
       --over NAME: exit 0 only if NAME's bound is above LIMIT (the canary)"""
import argparse
import copy
import re
import sys

import call_graph
import indirect_calls

ENTRY = re.compile(r"^ert_(model|arena|context|bind|output|run|step|selftest|last)\w*$")


def callees(f):
    """Functions that f may call. Parallel runs the tasks of the file that calls it: each file gets a copy of its own."""
    for g in f.callees:
        if "ert::Parallel::operator()" in g.pretty:
            g = copy.copy(g)
            g.bound, g.callees, g.unresolved = None, [h for h in g.callees] + f.tasks, None if f.tasks else "runs tasks that its file does not name"
        yield g


def bound(f, path=()):
    """(bytes, the chain of calls that needs them)"""
    if f.bound is not None:
        return f.bound
    if f.calls_itself or f in path:
        sys.exit("recursion: " + " -> ".join(g.pretty for g in path[path.index(f) if f in path else 0:] + (f,)))
    if f.unresolved:
        sys.exit(f"{f.pretty} ({f.source}) {f.unresolved}")
    deepest = (0, [])
    for g in callees(f):
        deepest = max(deepest, bound(g, path + (f,)), key=lambda b: b[0])
    f.bound = (f.frame + deepest[0], [f"{f.frame:5} {f.pretty[:110]} ({f.source or 'compiler helper'})"] + deepest[1])
    return f.bound


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("image")
    parser.add_argument("build")
    parser.add_argument("limit", type=int)
    parser.add_argument("--over")
    parser.add_argument("--chain", action="store_true")
    parser.add_argument("--objdump", default="arm-none-eabi-objdump")
    parser.add_argument("--readelf", default="arm-none-eabi-readelf")
    a = parser.parse_args()
    functions = call_graph.functions_of(a.objdump, a.readelf, a.image, a.build)
    for f in functions:
        f.bound = f.unresolved = None
    indirect_calls.resolve(functions, a.readelf, a.build)
    if a.over:
        size, _ = bound(next(f for f in functions if f.name == a.over))
        print(f"{a.over}: {size} bytes")
        return 0 if size > a.limit else 1
    entries = [f for f in functions if ENTRY.match(f.name)]
    if not entries:
        sys.exit(f"{a.image} has no function of the runtime")
    worst = max(entries, key=lambda f: bound(f)[0])
    for f in sorted(entries, key=lambda f: -f.bound[0])[:4]:
        print(f"  {f.bound[0]:5} bytes of stack at most: {f.name}")
    if worst.bound[0] > a.limit:
        print(f"{worst.name} may need {worst.bound[0]} bytes of stack, allowed are {a.limit}:")
    if a.chain or worst.bound[0] > a.limit:
        print("\n".join(worst.bound[1]))
    return 1 if worst.bound[0] > a.limit else 0


if __name__ == "__main__":
    sys.exit(main())
