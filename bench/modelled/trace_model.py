"""Modelled cycles of runs that count_blocks.c counted, WORKDIR/runs/NAME.txt, by part.

A core is a CPU of llvm-mca, or slots:cortex-a53 and slots:cortex-a55 for the issue-slot rules of tests/checks/issue_slots.py. Cycles are those of some 300
traces of 600 instructions, each repeated until it runs steadily, times the instructions that were counted."""
import bisect
import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

from parts import PARTS, part_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/checks"))
import issue_slots  # noqa: E402

FEATURES = "+dotprod,+i8mm,+sve,+sve2,+fullfp16,+bf16,+lse,+pauth,+rcpc"
SAMPLES = 300  # traces that are modelled
Block = collections.namedtuple("Block", "runs size symbol part macs text")


def output(*command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, **kwargs).stdout


def macs_of(text):
    """int8 multiply-accumulates of an instruction."""
    op, _, operands = text.partition(" ")
    if op in ("sdot", "udot", "usdot"):
        return 16 if ".4s" in operands else 8
    if op in ("smmla", "ummla", "usmmla"):
        return 32
    if re.fullmatch(r"[su](mull|mlal)2?", op):
        return 8 if ".8h," in operands[:7] else 4
    return 0


def for_model(text):
    """Calls and returns as plain branches, system instructions as nop: the models follow the trace."""
    if re.match(r"(svc|mrs|msr|brk|hint|pac|aut|bti|dmb|dsb|isb|xpac|sys|ic|dc)\b", text):
        return "nop"
    if text.startswith("bl "):
        return "b #4"
    if text.startswith("blr"):
        return "br " + re.search(r"x\d+", text).group(0)
    return "br x30" if text.startswith("ret") else text


def for_slots(text):
    """The slot rules know loads of one register and operands without spaces in braces."""
    several = re.match(r"ld1 \{ (v\d+\.(?:16b|8h|4s|2d)(?:, v\d+\.\w+)+) \}, (\[\w+\])", text)
    loads = [f"ldr q{n}, {several[2]}" for n in re.findall(r"v(\d+)\.", several[1])] if several else [re.sub(r"\{ (.*?) \}", r"{\1}", text)]
    return [(0, *(t.split(" ", 1) if " " in t else (t, ""))) for t in loads]


def decode(words):
    """Text of instruction words (hex of their bytes)."""
    lines = "".join(" ".join("0x" + w[i:i + 2] for i in range(0, 8, 2)) + "\n" for w in words)
    out = output("llvm-mc-19", "--disassemble", "-triple=aarch64", "-mattr=+all", input=lines)
    found = [re.sub(r"\s+", " ", line.split("//")[0].strip()) for line in out.splitlines() if line.strip() and not line.strip().startswith(".")]
    if len(found) == len(words):
        return found
    half = len(words) // 2  # a word that is no instruction has no line: halve until it is alone
    return decode(words[:half]) + decode(words[half:]) if half else ["nop"]


def symbols_of(path, base, file):
    """[(address, symbol, file)] from the symbol table, or for a stripped file from its frame table."""
    found = re.findall(r"^([0-9a-f]+) (?:[0-9a-f]+ )?[tTwWiuV] ([^$].*)", output("aarch64-linux-gnu-nm", "-C", "-S", "--defined-only", path), re.M)
    if len(found) < 50:
        frames = re.findall(r"pc=([0-9a-f]+)\.\.", output("aarch64-linux-gnu-readelf", "--debug-dump=frames", path))
        found = [(a, "f_" + a.lstrip("0")) for a in frames]
    return [(int(a, 16) + base, symbol, file) for a, symbol in found]


def require_setup(work, *parts):
    """Ends the script where WORKDIR lacks what setup.sh makes."""
    missing = [part for part in parts if not (pathlib.Path(work) / part).exists()]
    if missing:
        sys.exit(f"{sys.argv[0]}: {work} has no {', '.join(missing)}: `bench/modelled/setup.sh {work}` makes it")


class Runs:
    """The counted runs of a working folder."""

    def __init__(self, work):
        self.work = work

    @functools.cached_property
    def known(self):
        """Instruction texts that earlier calls decoded."""
        path = f"{self.work}/disassembly.json"
        return json.load(open(path)) if os.path.exists(path) else {}

    def texts(self, words):
        new = sorted(set(words) - self.known.keys())
        if new:
            self.known.update(zip(new, decode(new)))
            json.dump(self.known, open(f"{self.work}/disassembly.json", "w"))
        return [self.known[w] for w in words]

    def symbols(self, name):
        """Sorted [(address, symbol, file)] of everything executable in the process."""
        maps = f"{self.work}/runs/{name}.maps"
        if not os.path.exists(maps):
            return sorted(symbols_of(f"{self.work}/ert-bench", 0, "ert-bench"))
        rows, files = [], collections.defaultdict(list)
        for line in open(maps):
            p = line.split()
            if len(p) == 6 and os.path.exists(p[5]):
                files[p[5]].append((int(p[2], 16), int(p[0].split("-")[0], 16), p[1]))
        for path, segments in files.items():
            if not any("x" in rights for _, _, rights in segments):
                continue
            loads = re.findall(r"LOAD\s+0x([0-9a-f]+) 0x([0-9a-f]+)", output("aarch64-linux-gnu-readelf", "-lW", path))
            if not loads:
                continue
            offset, address, _ = min(segments)
            base = address - next(int(v, 16) - int(o, 16) + offset for o, v in loads if int(o, 16) <= offset + 0xffff)
            file = os.path.basename(path)
            rows += symbols_of(path, base, file) + [(a, "?", file) for _, a, rights in segments if "x" in rights]
        return sorted(rows)

    def load(self, name):
        """({id: Block}, [[id, ...] a sample], instructions) of a counted run."""
        lines = [line.split() for line in open(f"{self.work}/runs/{name}.txt")]
        rows = self.symbols(name)
        addresses = [row[0] for row in rows]
        raw = {int(p[1]): (int(p[2], 16), int(p[3]), re.findall("." * 8, p[5])) for p in lines if p[0] == "B"}
        self.texts([w for _, _, words in raw.values() for w in words])  # all new ones in one go
        blocks = {}
        for i, (address, runs, words) in raw.items():
            _, symbol, file = rows[max(bisect.bisect_right(addresses, address) - 1, 0)]
            text = self.texts(words)
            part = part_of(symbol, file, {t.split(" ")[0] for t in text})
            blocks[i] = Block(runs, len(words), symbol, part, sum(map(macs_of, text)), [for_model(t) for t in text])
        samples = [[int(i) for i in p[1:] if int(i) in blocks] for p in lines if p[0] == "S"]
        return blocks, [s for s in samples if s], next(int(p[1]) for p in lines if p[0] == "T")

    def cycles(self, traces, core):
        """Cycles of each trace (a list of instructions) in a steady state."""
        if core.startswith("slots:"):
            return [issue_slots.cycles_of([u for t in trace for u in for_slots(t)], core[6:], rounds=2) for trace in traces]
        regions = "".join(f"# LLVM-MCA-BEGIN s{i}\n" + "\n".join(t) + f"\n# LLVM-MCA-END s{i}\n" for i, t in enumerate(traces))
        total = {}
        for rounds in (2, 5):
            out = output("llvm-mca-19", "-mtriple=aarch64-linux-gnu", f"-mcpu={core}", "-mattr=" + FEATURES, f"-iterations={rounds}", "--instruction-info=0",
                         "--resource-pressure=0", "-skip-unsupported-instructions=any", input=regions)
            total[rounds] = [int(c) for c in re.findall(r"Total Cycles:\s+(\d+)", out)]
            if len(total[rounds]) != len(traces):
                sys.exit(f"llvm-mca-19 {core}: {len(total[rounds])} of {len(traces)} traces")
        return [(b - a) / 3 for a, b in zip(total[2], total[5])]

    def model(self, name, cores):
        """(instructions, {core: {mcycles, error, GEMM MACs a cycle, share of each part}})"""
        blocks, samples, total = self.load(name)
        used = [[blocks[i] for i in s] for s in samples[::max(1, len(samples) // SAMPLES)]]
        size = [sum(b.size for b in s) for s in used]
        result = {}
        for core in cores:
            cycles = self.cycles([[t for b in s for t in b.text] for s in used], core)
            cpi, n, parts = sum(cycles) / sum(size), len(used), collections.Counter()
            variance = sum((c - cpi * m) ** 2 for c, m in zip(cycles, size)) / (n - 1) / n
            gemm_cycles = gemm_macs = 0
            for c, m, s in zip(cycles, size, used):
                for b in s:
                    parts[b.part] += c * b.size / m
                if sum(b.size for b in s if b.part == "gemm") > .97 * m:
                    gemm_cycles, gemm_macs = gemm_cycles + c, gemm_macs + sum(b.macs for b in s)
            result[core] = {"mcycles": cpi * total / 1e6, "error": variance ** .5 * n / sum(cycles), "gemm": gemm_macs / max(gemm_cycles, 1),
                            "parts": {p: parts[p] / sum(cycles) for p in PARTS}}
        return total, result
