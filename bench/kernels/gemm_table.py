#!/usr/bin/env python3
"""Prints the tables of the GEMMs with 8-bit activations out of the JSON of bench_kernels: MAC per cycle of each level and layer,
their geometric means, and the bandwidth of one row over weights that come from memory, each beside its goal.

usage: bench_kernels --benchmark_filter='^avx(2|vnni|512vnni)/gemm_f32_qa8_qw8_.*(m:32|m:64|m:128|m:256|stream)$' --benchmark_repetitions=3 \\
           --benchmark_format=json | gemm_table.py [--check] [FILE]

Figures are medians of the repetitions. --check: exit code 7 where a goal of a level that was measured is missed.
"""
import argparse
import json
import statistics
import sys

ROWS = (32, 64, 128, 256)
# Least MAC per cycle in geometric mean, by level. Where two of the widest instructions take a cycle each (Zen 4) the peak is 64 a cycle.
GOALS = {"avx2": 20, "avxvnni": 52, "avx512vnni": 110}
GOAL_OF_HALF_WIDTH, HALF_WIDTH_PEAK = 58, 96
LEAST_BANDWIDTH = 85  # per cent of plain reads in the same run
GOAL_MISSED = 7


def read(report):
    """{level: {shape: {case: [counters of each repetition]}}} of the 8-bit GEMMs over the default layout."""
    found = {}
    for run in report["benchmarks"]:
        parts = run.get("run_name", run["name"]).split("/")
        if run.get("run_type") == "aggregate" or len(parts) != 4 or not parts[1].startswith("gemm_f32_qa8_qw8_"):
            continue
        found.setdefault(parts[0], {}).setdefault(parts[2], {}).setdefault(parts[3], []).append(run)
    return found


def median(runs, counter):
    return statistics.median(run[counter] for run in runs)


def goal_of(level, shapes):
    peaks = [100 * run["MAC/cycle"] / run["%peak"] for cases in shapes.values() for runs in cases.values() for run in runs
             if run.get("%peak")]
    half = level == "avx512vnni" and peaks and statistics.median(peaks) < HALF_WIDTH_PEAK
    return GOAL_OF_HALF_WIDTH if half else GOALS.get(level)


def line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def tables(found):
    """The text, and whether every goal of the levels in `found` is met."""
    columns = list(dict.fromkeys(shape for shapes in found.values() for shape in shapes))
    gemm = [line(["MAC/cycle", *columns, "geometric mean", "goal"])]
    stream = [line(["% of bandwidth", *columns, "least", "goal"])]
    for text in (gemm, stream):
        text.append("|" + "---|" * (len(columns) + 3))
    met = True
    for level in dict.fromkeys([*GOALS, *found]):
        if level not in found:
            gemm.append(line([level, "not measured"]))
            continue
        goal, cells, rates, shares = goal_of(level, found[level]), [], [], []
        for shape in columns:
            cases = found[level].get(shape, {})
            own = [median(cases[f"m:{m}"], "MAC/cycle") for m in ROWS if f"m:{m}" in cases]
            rates += own
            cells.append(" ".join(f"{rate:.0f}" for rate in own))
            shares.append(median(cases["stream"], "%bandwidth") if "stream" in cases else None)
        if rates:
            mean = statistics.geometric_mean(rates)
            met = met and (goal is None or mean >= goal)
            gemm.append(line([level, *cells, f"{mean:.1f}", goal or ""]))
        measured = [share for share in shares if share is not None]
        if measured:
            met = met and (goal is None or min(measured) >= LEAST_BANDWIDTH)
            stream.append(line([level, *("" if share is None else f"{share:.0f}" for share in shares), f"{min(measured):.0f}",
                                LEAST_BANDWIDTH if goal else ""]))
    return "\n".join(gemm + ([""] + stream if len(stream) > 2 else [])), met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file", metavar="FILE", nargs="?", type=argparse.FileType(encoding="utf-8"), default=sys.stdin)
    options = parser.parse_args()
    try:
        found = read(json.load(options.file))
    except json.JSONDecodeError as error:
        parser.error(f"this is no JSON of bench_kernels ({error}): give it --benchmark_format=json")
    if not found:
        parser.error("no row of an 8-bit GEMM in it: see --help for the filter")
    text, met = tables(found)
    print(text)
    return GOAL_MISSED if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
