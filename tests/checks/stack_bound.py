#!/usr/bin/env python3
"""An upper bound of the stack that each public function needs, from the frames that the compiler states (-fstack-usage) and the calls
in the linked image. Fails when it is above the limit, when a frame has no fixed size, or when a function can call itself.

usage: stack_bound.py IMAGE BUILD LIMIT [--objdump PROGRAM] [--readelf PROGRAM]
       --over NAME: exit 0 only if NAME's bound is above LIMIT (the canary)

Calls through pointers: the runtime has three kinds, told apart by where they are made (INDIRECT). Frames of functions without
-fstack-usage (compiler helpers) are read from their instructions."""
import argparse
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"^ert_(model|arena|context|bind|output|run|step|selftest|last)\w*$")
OP_FUNCTION = re.compile(r"(run|prepare|macs)\(ert::OpContext")
PREPARE_FUNCTION = re.compile(r"(prepare|macs)\(ert::OpContext")
TASK = re.compile(r"\(void\*, unsigned (long|int), unsigned (long|int)\)$")
KERNEL_POINTER = re.compile(r"^ert::kernels::\w+\(")
UNARY_KERNEL = re.compile(r"^ert::kernels::\w+\(unsigned (int|long), float const\*, float\*\)$")
# Hooks that the application supplies run on its own account.
HOOKS = re.compile(r"ert::Parallel::on_hook|ert::\(anonymous namespace\)::(task|run_in_mode)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Function:
    def __init__(self, name, pretty, source, body):
        self.name, self.pretty, self.source = name, pretty, source
        self.callees, self.indirect, self.pushed = set(), False, 0
        for text in filter(None, body):
            self.read(text)
        self.frame = None

    def read(self, text):
        """One instruction: what it pushes and what it calls."""
        words = text.split(None, 1)
        op, rest = words[0], words[1] if len(words) > 1 else ""
        if op.startswith("push") or re.match(r"(stmdb|vpush)", op) and ("vpush" in op or rest.startswith("sp!")):
            registers = sum(span(part) for part in re.findall(r"[rs]\d+-[rs]\d+|d\d+-d\d+|\w+", rest[rest.index("{"):]))
            self.pushed += registers * (8 if re.search(r"\{d\d", rest) else 4)
        elif re.match(r"sub(\.w|w)?$", op) and rest.startswith("sp"):
            self.pushed += int(re.search(r"#(\d+)", rest).group(1))
        elif match := re.match(r"(?:str|strd)\S*$", op) and re.search(r"\[sp, #-(\d+)\]!", rest):
            self.pushed += int(match.group(1))
        if match := re.match(r"(?:bl|b|b\.w|b\.n|blx|cbn?z|b\w\w(?:\.[nw])?)$", op) and re.search(r"<([^>+]+)>$", rest):
            if match.group(1) != self.name:
                self.callees.add(match.group(1))
        elif op in ("blx", "bx") and rest not in ("lr", "pc"):
            self.indirect = True


def span(part):
    if "-" not in part:
        return 1
    first, last = (int(re.search(r"\d+", p).group()) for p in part.split("-"))
    return last - first + 1


def local_sources(readelf, image):
    """{address: source file} of local functions: a FILE symbol precedes the symbols of its file."""
    sources, file = {}, ""
    for line in output(readelf, "-sW", image).splitlines():
        parts = line.split()
        if len(parts) >= 8 and parts[3] == "FILE":
            file = parts[7]
        elif len(parts) >= 8 and parts[3] == "FUNC" and parts[4] == "LOCAL":
            sources[int(parts[1], 16) & ~1] = file
    return sources


def functions_of(objdump, readelf, image):
    sources = local_sources(readelf, image)
    heads, bodies, current = {}, {}, None
    for line in output(objdump, "-d", "--no-show-raw-insn", image).splitlines():
        if match := re.match(r"^([0-9a-f]+) <(.+)>:$", line):
            current = int(match.group(1), 16)
            heads[current], bodies[current] = match.group(2), []
        elif current is not None and (match := re.match(r"^\s*[0-9a-f]+:\s+(\S.*)$", line)):
            bodies[current].append(match.group(1).split(";")[0].split("@")[0].strip())
    pretty = dict(zip(heads, output("c++filt", *heads.values()).splitlines()))
    return [Function(heads[a], pretty[a], sources.get(a, ""), bodies[a]) for a in heads]


def stated_frames(readelf, build):
    """{(source file, symbol): bytes} and {symbol: bytes}: .su files list functions in the order of the object's sections."""
    frames = {}
    for su in pathlib.Path(build).rglob("*.su"):
        symbols = {}
        for line in output(readelf, "-sW", str(su.with_suffix(".obj"))).splitlines():
            parts = line.split()
            if len(parts) >= 8 and parts[3] == "FUNC" and parts[6].isdigit():
                symbols.setdefault(int(parts[6]), parts[7])
        lines = [line.split("\t") for line in su.read_text().splitlines()]
        if len(lines) != len(symbols):
            sys.exit(f"{su}: {len(lines)} frames for {len(symbols)} functions")
        for (where, size, kind), (_, symbol) in zip(lines, sorted(symbols.items())):
            frames[(su.stem, symbol)] = (int(size), kind, where)
    if not frames:
        sys.exit(f"{build} holds no .su files: build with -fstack-usage")
    return frames


def apply_frames(functions, frames):
    by_name = {}
    for (_, symbol), frame in frames.items():
        by_name.setdefault(symbol, []).append(frame)
    for f in functions:
        candidates = [frames[(f.source, f.name)]] if (f.source, f.name) in frames else by_name.get(f.name, [])
        for size, kind, where in candidates:
            if not kind.startswith("static") and ENTRY.match(f.name) is None:
                sys.exit(f"{where}: the frame is {kind}")
        f.frame = max([c[0] for c in candidates], default=f.pushed)


def leads_to(g, f, by_name):
    """True if direct calls lead from g to f: then g is f's caller, not what f calls through a pointer."""
    seen, open_ends = set(), [g]
    while open_ends:
        h = open_ends.pop()
        if h is f:
            return True
        if h not in seen:
            seen.add(h)
            open_ends += [k for name in h.callees for k in by_name.get(name, []) if k.source in ("", h.source)]
    return False


def callees(f, functions, by_name):
    """Functions that f may call."""
    for name in f.callees:
        same = [g for g in by_name.get(name, []) if g.source == f.source]
        yield from same or by_name.get(name, [])
    if not f.indirect or HOOKS.search(f.pretty):
        return
    if "ert::Parallel::operator()" in f.pretty:
        yield from (g for g in functions if TASK.search(g.pretty))
    elif f.source_folder == "kernels":
        yield from (g for g in functions if UNARY_KERNEL.match(g.pretty))
    elif f.source_folder == "ops":
        yield from (g for g in functions if KERNEL_POINTER.match(g.pretty) and "scalar_" not in g.pretty)
        yield from (g for g in functions if g.source == f.source and g is not f and not OP_FUNCTION.search(g.pretty)
                    and not TASK.search(g.pretty) and not g.indirect and not leads_to(g, f, by_name))
    else:
        wanted = PREPARE_FUNCTION if re.search("prepare|macs|evaluate_dims", f.pretty) else OP_FUNCTION
        yield from (g for g in functions if wanted.search(g.pretty))


def bound(f, functions, by_name, path=()):
    """(bytes, the chain of calls that needs them)"""
    if f.bound is not None:
        return f.bound
    if f in path:
        sys.exit("recursion: " + " -> ".join(g.pretty for g in path[path.index(f):] + (f,)))
    deepest = (0, [])
    for g in callees(f, functions, by_name):
        deepest = max(deepest, bound(g, functions, by_name, path + (f,)), key=lambda b: b[0])
    f.bound = (f.frame + deepest[0], [f"{f.frame:5} {f.pretty[:110]}"] + deepest[1])
    return f.bound


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("image")
    parser.add_argument("build")
    parser.add_argument("limit", type=int)
    parser.add_argument("--over")
    parser.add_argument("--objdump", default="arm-none-eabi-objdump")
    parser.add_argument("--readelf", default="arm-none-eabi-readelf")
    a = parser.parse_args()
    functions = functions_of(a.objdump, a.readelf, a.image)
    apply_frames(functions, stated_frames(a.readelf, a.build))
    ops = {p.name for p in (pathlib.Path(__file__).parents[2] / "rt/ops").glob("*.cc")}
    by_name = {}
    for f in functions:
        f.bound = None
        f.source_folder = "ops" if f.source in ops or f.pretty.startswith("ert::ops::") else \
            "kernels" if "ert::kernels::" in f.pretty else "core"
        by_name.setdefault(f.name, []).append(f)
    if a.over:
        size, chain = bound(by_name[a.over][0], functions, by_name)
        print(f"{a.over}: {size} bytes")
        return 0 if size > a.limit else 1
    entries = [f for f in functions if ENTRY.match(f.name)]
    if not entries:
        sys.exit(f"{a.image} has no function of the runtime")
    worst = max(entries, key=lambda f: bound(f, functions, by_name)[0])
    for f in sorted(entries, key=lambda f: -f.bound[0])[:4]:
        print(f"  {f.bound[0]:5} bytes of stack at most: {f.name}")
    if worst.bound[0] > a.limit:
        print(f"{worst.name} may need {worst.bound[0]} bytes of stack, allowed are {a.limit}:")
        print("\n".join(worst.bound[1]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
