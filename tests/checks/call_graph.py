"""Functions of a linked firmware image: their frames, as the compiler states them (-fstack-usage), and whom they call directly, by the
addresses of the disassembly, so that equal names in different files are no riddle."""
import bisect
import pathlib
import re
import subprocess
import sys

BRANCH = re.compile(r"(?:bl|b|b\.w|b\.n|blx|cbn?z|b\w\w(?:\.[nw])?)$")


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


class Function:
    """source: its file's name, where the compiler made it; frame: bytes of stack; direct: addresses that it branches to; indirect:
    whether it calls through a register."""

    def __init__(self, address, name, pretty, source, body):
        self.address, self.name, self.pretty, self.source = address, name, pretty, source
        self.direct, self.indirect, self.pushed, self.frame = set(), False, 0, None
        for text in filter(None, body):
            self.read(text)

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
        if match := BRANCH.match(op) and re.search(r"(?:^|\s)([0-9a-f]+) <", rest):
            self.direct.add(int(match.group(1), 16))
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


def stated_frames(readelf, build):
    """{(source file, symbol): (bytes, kind, place)}: .su files list functions in the order of the object's sections."""
    frames = {}
    for su in pathlib.Path(build).rglob("*.su"):
        if not su.with_suffix(".obj").exists():
            continue  # of CMake's tries of the compiler
        symbols = {}
        for line in output(readelf, "-sW", su.with_suffix(".obj")).splitlines():
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


def give_frames(functions, frames):
    """Sets frames and, of global functions, the source. Compiler helpers have no stated frame: what their instructions push."""
    by_name = {}
    for (source, symbol), frame in frames.items():
        by_name.setdefault(symbol, []).append((source, frame))
    for f in functions:
        stated = [frames[(f.source, f.name)]] if (f.source, f.name) in frames else [frame for _, frame in by_name.get(f.name, [])]
        if not f.source and len(by_name.get(f.name, [])) == 1:
            f.source = by_name[f.name][0][0]
        for size, kind, where in stated:
            if not kind.startswith("static") and not f.name.startswith("ert_"):
                sys.exit(f"{where}: the frame is {kind}")
        f.frame = max([size for size, _, _ in stated], default=f.pushed)


def functions_of(objdump, readelf, image, build):
    """All functions of the image, with frames; their `callees` are those that they branch to."""
    sources = local_sources(readelf, image)
    heads, bodies, current = {}, {}, None
    for line in output(objdump, "-d", "--no-show-raw-insn", image).splitlines():
        if match := re.match(r"^([0-9a-f]+) <(.+)>:$", line):
            current = int(match.group(1), 16)
            heads[current], bodies[current] = match.group(2), []
        elif current is not None and (match := re.match(r"^\s*[0-9a-f]+:\s+(\S.*)$", line)):
            bodies[current].append(match.group(1).split(";")[0].split("@")[0].strip())
    pretty = dict(zip(heads, output("c++filt", *heads.values()).splitlines()))
    functions = [Function(a, heads[a], pretty[a], sources.get(a, ""), bodies[a]) for a in sorted(heads)]
    give_frames(functions, stated_frames(readelf, build))
    starts = [f.address for f in functions]
    for f in functions:
        if f.name.endswith("_veneer"):
            sys.exit(f"{f.name}: the linker made a veneer, whose target this script does not read")
        targets = {functions[bisect.bisect_right(starts, address) - 1] for address in f.direct}
        f.callees = sorted(targets - {f}, key=lambda g: g.address)
        f.calls_itself = f.address in f.direct
    return functions
