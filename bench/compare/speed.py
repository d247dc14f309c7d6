"""Latency of edgeconv and the peers over a model's grid, interleaved, each run in a fresh process."""
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable

import ours
from machine import ForeignLoad
from peers import python_of

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 300


@dataclass(frozen=True)
class Entry:
    """One row of the table: the command for a thread count, and how its output is read."""
    name: str
    command: Callable        # threads -> argument list
    parse: Callable          # standard output -> ({shape: times}, ISA level or None)


def peer_entry(work, model, name, shapes):
    def command(threads):
        return [python_of(work, name), "-W", "ignore", os.path.join(HERE, "peer_worker.py"), "speed", work, model.name, name,
                str(threads), ",".join(shapes)]
    # The libraries print notices of their own; the result is the last line.
    return Entry(name, command, lambda text: (json.loads(text.strip().splitlines()[-1]), None))


def our_entry(blob, shapes, isa=None):
    return Entry(f"edgeconv:{isa}" if isa else "edgeconv",
                 lambda threads: ours.bench_command(blob, shapes, threads, isa), ours.bench_results)


def run_once(entry, threads, cpus):
    """(times, ISA, cores that others used), or raises ours.Failed."""
    with ForeignLoad(cpus) as foreign:
        try:
            # Bound before the program starts, so that its start-up and all threads it makes stay on these cores.
            done = subprocess.run(entry.command(threads), capture_output=True, text=True, timeout=TIMEOUT, check=False,
                                  preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        except subprocess.TimeoutExpired:
            raise ours.Failed(None, f"no result after {TIMEOUT} s") from None
    try:
        times, isa = entry.parse(done.stdout)
    except (ValueError, KeyError, IndexError):
        raise ours.Failed.of(done) from None
    return times, isa, foreign.cores


def least_disturbed(entry, threads, cpus, tries, limit):
    """Repeats a run that others disturbed and keeps the one they disturbed least."""
    best = None
    for attempt in range(tries):
        if attempt:
            time.sleep(1)
        run = run_once(entry, threads, cpus)
        if best is None or run[2] < best[2]:
            best = run
        if best[2] <= limit:
            break
    return best


def measure(entries, shapes, options):
    """{"results": {threads: {name: {shape: times}}}, "isa": {name: level}, "failed": {threads: {name: reason}},
    "foreign": {threads: ...}}"""
    everywhere = set(os.sched_getaffinity(0))
    runs, isas, failed, foreign = {}, {}, {}, {}
    for turn in range(options.rounds):
        # Another one starts each round, so that no row always follows the same neighbour.
        order = entries[turn % len(entries):] + entries[:turn % len(entries)]
        for threads in options.threads:
            cpus = {options.cpu} if threads == 1 else everywhere
            for entry in order:
                if (entry.name, threads) in failed:
                    continue
                try:
                    times, isa, cores = least_disturbed(entry, threads, cpus, options.tries, options.foreign)
                    collected = runs.setdefault(threads, {}).setdefault(entry.name, {})
                    for shape in shapes:
                        collected.setdefault(shape, []).append(times[shape])
                except ours.Failed as error:
                    failed[entry.name, threads] = str(error)
                    continue
                except KeyError as error:
                    failed[entry.name, threads] = f"no time for shape {error}"
                    continue
                isas[entry.name] = isa or isas.get(entry.name)
                foreign.setdefault(threads, []).append((cores, entry.name))
        print(f"speed: round {turn + 1} of {options.rounds} {time.strftime('%H:%M:%S')}", file=sys.stderr, flush=True)
    return {"results": {threads: {entry.name: summarise(runs[threads][entry.name], shapes) for entry in entries
                                  if (entry.name, threads) not in failed}
                        for threads in options.threads},
            "isa": {name: isa for name, isa in isas.items() if isa},
            "failed": {threads: {entry.name: failed[entry.name, threads] for entry in entries
                                 if (entry.name, threads) in failed} for threads in options.threads},
            "foreign": {threads: disturbance(seen, options.foreign) for threads, seen in foreign.items()}}


def summarise(runs, shapes):
    """The median over rounds of the median of each round; the single least time beside it."""
    summary = {}
    for shape in shapes:
        medians = [run["median_us"] for run in runs[shape]]
        summary[shape] = {"median_us": statistics.median(medians),
                          "least_us": min(run["least_us"] for run in runs[shape]), "round_medians_us": medians}
    return summary


def disturbance(seen, limit):
    worst, name = max(seen)
    return {"runs": len(seen), "disturbed": sum(cores > limit for cores, _ in seen), "limit_cores": limit,
            "worst_cores": round(worst, 3), "worst_name": name}


def ratios(results, base="edgeconv"):
    """{name: {shape: time of name / time of base, "geomean": ...}}: above 1 means that base is faster."""
    table = {}
    for name, times in results.items():
        if base in results and name != base:
            row = {shape: times[shape]["median_us"] / results[base][shape]["median_us"] for shape in times}
            row["geomean"] = statistics.geometric_mean(row.values())
            table[name] = row
    return table
