"""Waits for cores that nobody else slows down.

A core of a virtual machine is one of two hardware threads; while the other one computes for a neighbour, a third of the vector
throughput is gone, for a blink or for minutes, and no counter of the guest shows it. At times the two cores of the guest are the two
threads of one. It bends ratios: whoever uses the vector units best loses most. So every series is timed between two probes of its cores (bench/kernels/core_probe.cc).
"""
import os
import time

import ours

# Of the best rate seen of a core, to call it whole.
WHOLE = 0.9
CALIBRATION_PROBES = 40
PATIENCE_SECONDS, PAUSE_SECONDS = 1.5, 0.01


class Cores:
    """All cores are taken for equal: a core that is always shared is held against the others' best rate."""

    def __init__(self, fixed_cpu=None):
        self.all = sorted(os.sched_getaffinity(0))
        self.single = self.all if fixed_cpu is None else [fixed_cpu]
        self.best = 0.0
        self.known = True
        for _ in range(CALIBRATION_PROBES):
            self.probe(self.all)
            time.sleep(PAUSE_SECONDS)
        self.known = self.known and self.best > 0

    def probe(self, cpus):
        """The least rate of these cores now, in GMAC/s; None where the probe is missing or knows no instruction of this CPU."""
        if not self.known:
            return None
        try:
            rates = ours.probe_cores(cpus)
        except (ours.Failed, ValueError):
            self.known = False
            return None
        self.best = max(self.best, *rates.values())
        return min(rates.values())

    def whole(self, rate):
        """Judged by the best rate known at the time of the call: a neighbour from the start shows once it rests."""
        return rate is None or rate >= WHOLE * self.best

    def choose(self, threads):
        """(cores, their rate) for a run on so many threads, as soon as they are whole, at the latest when patience ends."""
        choices = [[cpu] for cpu in self.single] if threads == 1 else [self.all]
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            rate, cpus = max(((self.probe(cpus), cpus) for cpus in choices), key=lambda found: found[0] or 0.0)
            if self.whole(rate) or time.monotonic() > until:
                return cpus, rate
            time.sleep(PAUSE_SECONDS)

    def timed(self, contestant, shape, threads):
        """A series of the contestant on such cores: its times, with "rate", the lesser of what they gave before and after it."""
        cpus, before = self.choose(threads)
        times = contestant.series(shape, cpus)
        after = self.probe(cpus)
        return {**times, "rate": None if before is None or after is None else min(before, after)}
