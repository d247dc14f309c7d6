"""Waits for cores that nobody else slows down.

A core of a virtual machine is one of two hardware threads; while the other one computes for a neighbour, a third of the vector
throughput is gone, for a blink or for minutes, and no counter of the guest shows it. It bends ratios: whoever uses the
vector units best loses most. So every series is timed between two probes of its cores (bench/kernels/core_probe.cc).
"""
import os
import time

import ours

# Of the best rate seen of a core, to call it whole.
WHOLE = 0.9
CALIBRATION_PROBES = 40
PATIENCE_SECONDS, PAUSE_SECONDS = 1.5, 0.01


class Cores:
    def __init__(self, fixed_cpu=None):
        self.all = sorted(os.sched_getaffinity(0))
        self.single = self.all if fixed_cpu is None else [fixed_cpu]
        self.best = dict.fromkeys(self.all, 0.0)
        self.known = True
        try:
            for _ in range(CALIBRATION_PROBES):
                self.probe(self.all)
                time.sleep(PAUSE_SECONDS)
            self.known = all(self.best.values())
        except ours.Failed:
            self.known = False

    def probe(self, cpus):
        """The least share of their best rate that these cores give now."""
        if not self.known:
            return 1.0
        rates = ours.probe_cores(cpus)
        for cpu, rate in rates.items():
            self.best[cpu] = max(self.best[cpu], rate)
        return min(rates[cpu] / self.best[cpu] if self.best[cpu] else 1.0 for cpu in rates)

    def choose(self, threads):
        """Cores for a run on so many threads, as soon as they are whole, at the latest when patience ends."""
        choices = [[cpu] for cpu in self.single] if threads == 1 else [self.all]
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            share, cpus = max((self.probe(cpus), cpus) for cpus in choices)
            if share >= WHOLE or time.monotonic() > until:
                return cpus
            time.sleep(PAUSE_SECONDS)

    def timed(self, contestant, shape, threads):
        """A series of the contestant on such cores: its times, with "share", what the cores gave right after it."""
        cpus = self.choose(threads)
        times = contestant.series(shape, cpus)
        return {**times, "share": self.probe(cpus)}
