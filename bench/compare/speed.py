"""Latency of edgeconv and the peers over a model's grid.

A turn is one short series of calls of every contestant at one shape, one contestant after the other. Within a turn the machine
hardly changes, over minutes it may by half (virtual machines, clocks): so ratios are taken within a turn, and the median over
turns is reported. A series that did not end on whole cores (cores.py) is repeated; ratios leave it out while there are others.
"""
import os
import random
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Callable

import ours
from contestants import Edgeconv, Peer
from cores import Cores
from machine import ForeignLoad
from peers import HELD, PEERS, peer_of

BASE = "edgeconv"
LEAST_TURNS = 3


@dataclass(frozen=True)
class Entry:
    """One row of the tables."""
    name: str
    start: Callable        # threads -> contestant


def peer_entry(work, model, name):
    return Entry(name, lambda threads: Peer(work, model, name, threads))


def held_entry(work, model, name):
    """A peer that must do without AMX, which edgeconv does not use either."""
    variable, value = PEERS[name].held
    return Entry(name + HELD, lambda threads: Peer(work, model, name, threads, {variable: value}))


def our_entry(blob, isa=None):
    return Entry(f"{BASE}:{isa}" if isa else BASE, lambda threads: Edgeconv(blob, threads, isa))


class Field:
    """All contestants of one model, {(name, threads): contestant}; one that fails leaves with its reason."""

    def __init__(self, options):
        self.running, self.failed = {}, {}
        self.cores, self.tries = Cores(options.cpu), options.tries
        self.order = random.Random(1)

    def load(self, entries, shapes, options):
        for entry in entries:
            for threads in options.threads:
                key = entry.name, threads
                try:
                    self.running[key] = entry.start(threads)
                    for shape in shapes:
                        self.running[key].load(shape)
                except ours.Failed as error:
                    self.drop(key, error)

    def drop(self, key, error):
        self.failed[key] = str(error)
        if key in self.running:
            self.running.pop(key).close()

    def cpu_seconds(self):
        return sum(contestant.cpu_seconds() for contestant in self.running.values())

    def turn(self, shape):
        """({(name, threads): times}, cores that others used meanwhile). In another order each time, so that no row always follows
        the same neighbour; the thread counts of one stay together, because their ratio is reported too."""
        names = list(dict.fromkeys(name for name, _ in self.running))
        self.order.shuffle(names)
        taken = {}
        with ForeignLoad(os.sched_getaffinity(0), self.cpu_seconds) as foreign:
            for name in names:
                for key in [key for key in self.running if key[0] == name]:
                    try:
                        taken[key] = self.series(key, shape)
                    except ours.Failed as error:
                        self.drop(key, error)
        return taken, foreign.cores

    def series(self, key, shape):
        """The best of a few tries by what the cores gave."""
        best = None
        for _ in range(self.tries):
            times = self.cores.timed(self.running[key], shape, key[1])
            if best is None or (times["rate"] or 0.0) > (best["rate"] or 0.0):
                best = times
            if self.cores.whole(best["rate"]):
                break
        return best

    def close(self):
        for contestant in self.running.values():
            contestant.close()


def least_disturbed(field, shape, tries, limit):
    """Repeats a turn that others disturbed and keeps the one they disturbed least."""
    best = None
    for attempt in range(tries):
        if attempt:
            time.sleep(0.5)
        turn = field.turn(shape)
        if best is None or turn[1] < best[1]:
            best = turn
        if best[1] <= limit:
            break
    return best


def measure(entries, shapes, options):
    """{"results": {threads: {name: {shape: times}}}, "ratios": {threads: {name: {shape: ratio}}}, "speedup": {shape: ratio},
    "isa": {name: level}, "failed": {threads: {name: reason}}, "foreign": ...}"""
    turns, cores = {shape: [] for shape in shapes}, []
    field = Field(options)
    try:
        field.load(entries, shapes, options)
        for number in range(options.rounds):
            for shape in shapes:
                taken, foreign = least_disturbed(field, shape, options.tries, options.foreign)
                turns[shape].append(taken)
                cores.append((foreign, shape))
            print(f"speed: round {number + 1} of {options.rounds} {time.strftime('%H:%M:%S')}", file=sys.stderr, flush=True)
        isas = {name: contestant.isa for (name, _), contestant in field.running.items() if contestant.isa}
    finally:
        field.close()
    mark_whole(turns, field.cores)
    per_thread = {threads: [entry.name for entry in entries if (entry.name, threads) not in field.failed]
                  for threads in options.threads}
    return {"results": {threads: {name: {shape: summarise(turns[shape], (name, threads)) for shape in shapes}
                                  for name in names} for threads, names in per_thread.items()},
            "ratios": {threads: {name: ratios(turns, (name, threads), (BASE, threads)) for name in names
                                 if name != BASE and BASE in names} for threads, names in per_thread.items()},
            "speedup": ratios(turns, (BASE, 1), (BASE, 2)) if all(BASE in per_thread.get(n, ()) for n in (1, 2)) else {},
            "isa": isas,
            "failed": {threads: {name: reason for (name, n), reason in field.failed.items() if n == threads}
                       for threads in options.threads},
            "foreign": disturbance(cores, options.foreign),
            "shared": shared_cores(turns, field.cores, list(field.running))}


def mark_whole(turns, cores):
    """At the end, when the best rate of a core is known."""
    for taken in turns.values():
        for turn in taken:
            for times in turn.values():
                times["whole"] = cores.whole(times["rate"])


def whole(taken, keys):
    """The turns in which all these contestants had whole cores; all turns where that is too few to tell."""
    good = [turn for turn in taken if all(turn[key]["whole"] for key in keys)]
    return good if len(good) >= LEAST_TURNS else taken


def summarise(taken, key):
    """The median over turns of the median of each; the single least time beside it."""
    medians = [turn[key]["median_us"] for turn in whole(taken, [key])]
    return {"median_us": statistics.median(medians), "least_us": min(turn[key]["least_us"] for turn in taken),
            "turn_medians_us": medians}


def shared_cores(turns, cores, running):
    """How many series kept less than whole cores after all tries, and which rows had too few good turns; None: no probe."""
    if not cores.known:
        return None
    series = [times for taken in turns.values() for turn in taken for times in turn.values()]
    short = []
    for shape, taken in turns.items():
        for name, threads in running:
            keys = [key for key in ((name, threads), (BASE, threads)) if key in running]
            if sum(all(turn[key]["whole"] for key in keys) for turn in taken) < LEAST_TURNS:
                short.append(f"{name} {shape}")
    return {"series": len(series), "shared": sum(not times["whole"] for times in series), "unfiltered": sorted(set(short))}


def disturbance(seen, limit):
    worst, shape = max(seen)
    return {"turns": len(seen), "disturbed": sum(cores > limit for cores, _ in seen), "limit_cores": limit,
            "worst_cores": round(worst, 3), "worst_shape": shape}


def ratios(turns, key, base):
    """{shape: median over turns of the time of key / the time of base, "geomean": ...}: above 1 means that base is faster."""
    row = {shape: statistics.median(turn[key]["median_us"] / turn[base]["median_us"] for turn in whole(taken, [key, base]))
           for shape, taken in turns.items()}
    row["geomean"] = statistics.geometric_mean(row.values())
    return row


def rivals(ratios_of_threads, is_rival, held=False):
    """The rows of the peers as they come; with held those of peers that can be held, and the others as they come."""
    rows = {name: row for name, row in ratios_of_threads.items() if peer_of(name) is not None and is_rival(name.removesuffix(HELD))}
    if held:
        return {name: row for name, row in rows.items() if name + HELD not in rows}
    return {name: row for name, row in rows.items() if not name.endswith(HELD)}


def fastest_int8(ratios_of_threads, shape, held=False):
    """(peer, ratio) of the int8 peer that comes closest to edgeconv at one shape; None when none was measured."""
    rows = [(row[shape], name) for name, row in rivals(ratios_of_threads, lambda name: PEERS[name].int8, held).items()]
    return min(rows)[::-1] if rows else None
