"""Cycles of a loop on cores without a public model that can be trusted: issue slots, counted by hand-written rules. Modelled, not measured: the loop alone,
operands in the nearest cache, branches predicted.

Cortex-A53 and A55 issue two instructions a cycle, in order. What may share a cycle is the table PAIRS, how long an instruction keeps the others waiting and
when its result is there are the tables of the cores. Sources:
  loads, pairs   ncnn, docs "arm a53 a55 dual issue"; gemmlowp, standalone/neon-gemm-kernel-benchmark.cc, comments of the kernels for A53 and A55r1 that Arm
                 contributed: a 128-bit load takes two cycles alone; on A53 a 64-bit vector load pairs with an insert but not with a multiply, on A55
                 with both. ld1r is a 64-bit load (GCC, cortex-a53.md)
  sadalp on A53  XNNPACK, qs8-gemm 1x8c8 and 2x8c8 "neon-mlal-cortex-a53": its cycles per block only add up with two cycles each
  latencies      GCC, cortex-a53.md; LLVM, AArch64SchedA55.td; the insert of A55 is used after three cycles in XNNPACK's 4x16c4 "neondot-cortex-a55". An
                 accumulator is read late: one cycle after it was written by such an instruction
Against the cycles that XNNPACK names: 10 for a block of its 1x8c8 and 74 for the loop of its 2x8c8, as here.
llvm-mca models both cores, but it lets 128-bit loads issue in one cycle and so prefers loops that are slower."""
import re

# kind of instruction: (mnemonics, a pattern of the operands)
KINDS = [
    ("q load", r"ldr|ldur|ld1", r"q\d+|\{v\d+\.(16b|8h|4s|2d)\}"),
    ("two q loads", r"ldp", "q"), ("q load", r"ldp", "d"), ("d load", r"ldr|ldur|ld1|ld1r", r"[bhsd]\d|\{v"),
    ("core load", r"ld(r|ur|p|rs?[bhw])", "[wx]"), ("store", r"st.*|prfm", ""),
    ("insert", r"mov|ins", r"v\d+\.[bhsd]\["), ("insert", r"dup", r"v\d+\.\w+, [wx]"), ("insert", r"fmov", r"[sd]\d+, [wx]"),
    ("pairwise add", r"[su]adalp", ""), ("multiply", r"[us]mull2?|f?mul", r"[vsd]\d"), ("multiply-add", r"[su]dot|usdot|[su]ml[as]l2?|ml[as]|fml[as]|[us]*mmla", ""),
    ("neon", r".*", r"[vqdsbh]\d"), ("core", r".*", ""),
]
CORE = {"core load", "core", "store"}
MULTIPLY = {"multiply", "multiply-add"}
NEON = MULTIPLY | {"neon", "pairwise add", "insert"}
# Kinds of which two, in either order, may share a cycle.
PAIRS = {
    "cortex-a53": [(NEON, CORE), ({"core"}, CORE), ({"d load"}, {"insert", "core"})],
    "cortex-a55": [(NEON, CORE), ({"core"}, CORE), ({"d load"}, NEON | {"core"}), ({"insert"}, MULTIPLY | {"pairwise add"})],
}
# Cycles until the next instruction may issue (1 where not listed), and until the result is there.
ISSUE = {"cortex-a53": {"q load": 2, "two q loads": 4, "pairwise add": 2}, "cortex-a55": {"q load": 2, "two q loads": 4}}
RESULT = {"cortex-a53": {"core": 1, "core load": 3, "d load": 3, "q load": 4, "two q loads": 6},
          "cortex-a55": {"core": 1, "core load": 3, "d load": 3, "q load": 4, "two q loads": 6, "insert": 3}}
NEON_RESULT = 4
ACCUMULATES = {"multiply-add", "pairwise add"}
IN_ORDER = tuple(PAIRS)


def kind_of(op, operands):
    return next(kind for kind, ops, pattern in KINDS if re.fullmatch(ops, op) and re.match(pattern, operands.replace("{ ", "{")))


def registers(text):
    """x3 and w3 are one register, v3, q3, d3 and s3 another."""
    return [("x" if bank in "wx" else "v") + number for bank, number in re.findall(r"\b([wxvqdsbh])(\d+)\b", text)]


def read_and_written(kind, op, operands):
    """(registers that it needs, registers that it writes)"""
    operands = re.sub(r"\s*(//.*|[0-9a-f]+ <.*)$", "", operands)
    address = registers(operands[operands.find("["):]) if re.search(r"\[[xs]", operands) else []
    named = registers(operands)
    if kind == "store" or op in ("cmp", "cmn", "tst", "b") or op.startswith(("b.", "cb", "tb")):
        return named, address[:1] if operands.endswith("!") or "]," in operands else []
    results = 2 if op == "ldp" else 1
    written, needed = named[:results], named[results:]
    if kind in ACCUMULATES or re.match(r"v\d+\.[bhsd]\[", operands):
        needed = needed + written
    if address and ("!" in operands or "]," in operands):
        written = written + address[:1]
    return needed, written


def may_pair(cpu, a, b):
    return any((a in x and b in y) or (a in y and b in x) for x, y in PAIRS[cpu])


def cycles_of(loop, cpu, rounds=24):
    """Cycles of one round of a loop of (address, mnemonic, operands), once its start does not count any more."""
    instructions = [(kind, *read_and_written(kind, op, operands)) for _, op, operands in loop for kind in [kind_of(op, operands)]]
    ready, accumulated = {}, set()
    now, free, alone, marks = -1, 0, None, []  # cycle of the last issue, first free one, kind of an instruction that has none beside it
    for _ in range(rounds):
        for kind, needed, written in instructions:
            earliest = 0
            for register in needed:
                late = kind in ACCUMULATES and register in written and register in accumulated
                earliest = max(earliest, ready.get(register, 0) - (NEON_RESULT - 1 if late else 0))
            if alone is not None and earliest <= now and may_pair(cpu, alone, kind):
                at, alone = now, None
                free = max(free, at + ISSUE[cpu].get(kind, 1))
            else:
                at, alone = max(free, earliest), kind
                free = at + ISSUE[cpu].get(kind, 1)
            now = at
            for register in written:
                core = register[0] == "x" and kind != "core load"
                ready[register] = at + (1 if core else RESULT[cpu].get(kind, NEON_RESULT))
                (accumulated.add if kind in MULTIPLY | ACCUMULATES else accumulated.discard)(register)
        marks.append(free)
    return (marks[-1] - marks[rounds // 2 - 1]) / (rounds - rounds // 2)


def check_rules():
    """Sequences whose cycles the sources name: a rule that is lost changes one."""
    def cycles(cpu, text):
        return cycles_of([(0, *line.strip().split(" ", 1)) for line in text.split(";")], cpu)
    macs = "; ".join(f"smlal v{i}.8h, v20.8b, v21.8b" for i in range(4))
    for text, a53, a55 in [(macs, 4, 4), (f"ldr q22, [x0]; {macs}", 6, 6), (f"ldr d22, [x0]; {macs}", 5, 4), (f"ldr x1, [x0, #8]; {macs}", 4, 4),
                           (f"ldr d22, [x0]; mov v23.d[1], x1; {macs}", 5, 4), (f"{macs}; mov v23.d[1], x1", 5, 4), ("sadalp v1.4s, v2.8h", 2, 1),
                           ("smull v1.8h, v2.8b, v3.8b; sadalp v4.4s, v1.8h", 6, 5), ("ldr d1, [x0]; smull v2.8h, v1.8b, v3.8b", 4, 3),
                           ("ldr q1, [x0], #16; sdot v2.4s, v1.16b, v3.4b[0]", 5, 5), ("sdot v1.4s, v2.16b, v3.4b[0]", 1, 1)]:
        found = cycles("cortex-a53", text), cycles("cortex-a55", text)
        assert found == (a53, a55), f"slot rules: '{text}' takes {found} cycles on A53 and A55, must be {(a53, a55)}"


if __name__ == "__main__":
    check_rules()
