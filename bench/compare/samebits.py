"""Whether each sample gets the same bits from edgeconv in every company, padding, thread count and ISA level."""
import hashlib
import sys

import numpy as np

import ours
from scoring import scored_texts

BATCH = 8
# Odd, so that no kernel's block size divides the padded length.
EXTRA_PADDING = 13
MODES = ("alone", "2 threads", "padded", "batch of 8", "mixed batch", "mixed batch, 2 threads")
# Of models with random weights: short and long, several of one length, none a multiple of a kernel's rows.
LENGTHS = (1, 3, 16, 17, 17, 17, 40, 61, 64, 97)
REF_SAMPLES = 3


def modes_of(model):
    return MODES if model.padding else tuple(mode for mode in MODES if mode != "padded" and "mixed" not in mode)


def samples_of(model, work):
    if model.name == "minilm":
        return scored_texts(work)
    random = np.random.default_rng(13)
    return [model.draw(random, length) for length in LENGTHS]


class Measured:
    """One model at one ISA level; every method returns {sample: digest}."""

    def __init__(self, model, runner, samples, chosen, isa):
        self.model, self.runner, self.samples, self.chosen, self.isa = model, runner, samples, chosen, isa

    def digests(self, samples, sequence, threads):
        """One hash per row, of the row's own tokens: what stands at padded positions is nobody's result."""
        rows = self.runner.run(self.model.feed(samples, sequence), self.model.output, threads=threads, isa=self.isa)
        return [hashlib.sha256(np.ascontiguousarray(row[:len(sample)] if self.model.per_token else row).tobytes()).hexdigest()
                for row, sample in zip(rows, samples)]

    def one_at_a_time(self, threads, extra):
        return {i: self.digests([self.samples[i]], len(self.samples[i]) + extra, threads)[0] for i in self.chosen}

    def batch_of_equal_length(self, threads):
        """Each batch holds samples of one length; places left over are filled with random ones as other company."""
        found = {}
        random = np.random.default_rng(11)
        for length in sorted({len(self.samples[i]) for i in self.chosen}):
            same = [i for i in self.chosen if len(self.samples[i]) == length]
            for start in range(0, len(same), BATCH):
                rows = same[start:start + BATCH]
                # The strangers come first, so that a sample also changes its place in the batch.
                strangers = [self.model.draw(random, length) for _ in range(BATCH - len(rows))]
                batch = self.digests(strangers + [self.samples[i] for i in rows], length, threads)
                found.update(zip(rows, batch[len(strangers):]))
        return found

    def batch_of_mixed_lengths(self, threads):
        found = {}
        for start in range(0, len(self.chosen), BATCH):
            rows = self.chosen[start:start + BATCH]
            batch = [self.samples[i] for i in rows]
            found.update(zip(rows, self.digests(batch, max(map(len, batch)), threads)))
        return found

    def run(self, mode):
        threads = 2 if "2 threads" in mode else 1
        if mode == "batch of 8":
            return self.batch_of_equal_length(threads)
        if mode.startswith("mixed batch"):
            return self.batch_of_mixed_lengths(threads)
        return self.one_at_a_time(threads, EXTRA_PADDING if mode == "padded" else 0)


def spread_out(count, wanted):
    """Indices of `wanted` samples, evenly over all."""
    return [int(index) for index in np.linspace(0, count - 1, min(count, wanted)).round()]


def measure(work, model, blob, ref_texts):
    """{"isas": {isa: {mode: {"same", "of"}} or a reason}, "identical": bool}

    What a sample must give is what it gave alone at the first ISA level that ran it: for `ref_texts` texts of MiniLM, and for
    REF_SAMPLES samples of other models, the scalar reference, which is too slow for all of them, for the others the next
    level.
    """
    samples = samples_of(model, work)
    # Of models with random weights the shortest ones: a batch of eight long ones takes the reference minutes.
    at_ref = spread_out(len(samples), ref_texts) if model.name == "minilm" else list(range(REF_SAMPLES))
    wanted, isas, identical, compared = {}, {}, True, False
    with ours.Runner(blob) as runner:
        for isa in ours.ISAS:
            chosen = at_ref if isa == "ref" else list(range(len(samples)))
            modes = {}
            try:
                for mode in modes_of(model):
                    found = Measured(model, runner, samples, chosen, isa).run(mode)
                    if mode == "alone":
                        wanted = found | wanted
                    same = sum(found[i] == wanted[i] for i in chosen)
                    modes[mode] = {"same": same, "of": len(chosen)}
                    identical = identical and same == len(chosen)
                    compared = compared or mode != "alone"
                isas[isa] = modes
            except ours.Failed as error:
                if error.code == ours.CPU_LACKS_ISA and not modes:
                    isas[isa] = "not on this CPU"
                else:
                    isas[isa] = str(error)
                    identical = False
            print(f"same bits: {model.name} {isa}", file=sys.stderr, flush=True)
    # No comparison at all is no proof.
    return {"isas": isas, "identical": identical and compared}
