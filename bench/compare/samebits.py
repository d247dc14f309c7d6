"""Whether each text gets the same bits from edgeconv in every company, padding, thread count and ISA level."""
import hashlib
import sys

import numpy as np

import ours
from scoring import scored_texts

BATCH = 8
# Odd, so that no kernel's block size divides the padded length.
EXTRA_PADDING = 13
MODES = ("alone", "2 threads", "padded", "batch of 8", "mixed batch", "mixed batch, 2 threads")


def digests(hidden, lengths):
    """One hash per row, of the row's own tokens: what stands at padded positions is nobody's result."""
    return [hashlib.sha256(np.ascontiguousarray(row[:length]).tobytes()).hexdigest()
            for row, length in zip(hidden, lengths)]


def padded_inputs(ids, lengths, sequence):
    padded = np.zeros((len(lengths), sequence), np.int64)
    for row, values, length in zip(padded, ids, lengths):
        row[:length] = values[:length]
    return padded, (np.arange(sequence)[None] < lengths[:, None]).astype(np.int64)


def one_at_a_time(runner, ids, lengths, texts, isa, threads, extra):
    found = {}
    for text in texts:
        inputs = padded_inputs(ids[[text]], lengths[[text]], int(lengths[text]) + extra)
        found[text], = digests(runner.hidden(*inputs, threads=threads, isa=isa), lengths[[text]])
    return found


def batch_of_equal_length(runner, ids, lengths, texts, isa):
    """Each batch holds texts of one length; places left over are filled with random ids as other company."""
    found = {}
    random = np.random.default_rng(11)
    for length in np.unique(lengths[texts]):
        same = [text for text in texts if lengths[text] == length]
        for start in range(0, len(same), BATCH):
            rows = same[start:start + BATCH]
            batch = random.integers(1000, 30000, (BATCH, length))
            # The strangers come first, so that a text also changes its place in the batch.
            batch[BATCH - len(rows):] = ids[rows, :length]
            hidden = runner.hidden(batch, np.ones_like(batch), isa=isa)
            found.update(zip(rows, digests(hidden[BATCH - len(rows):], lengths[rows])))
    return found


def batch_of_mixed_lengths(runner, ids, lengths, texts, isa, threads):
    found = {}
    for start in range(0, len(texts), BATCH):
        rows = texts[start:start + BATCH]
        inputs = padded_inputs(ids[rows], lengths[rows], int(lengths[rows].max()))
        found.update(zip(rows, digests(runner.hidden(*inputs, threads=threads, isa=isa), lengths[rows])))
    return found


def run_mode(mode, runner, ids, lengths, texts, isa):
    if mode == "batch of 8":
        return batch_of_equal_length(runner, ids, lengths, texts, isa)
    threads = 2 if "2 threads" in mode else 1
    if mode.startswith("mixed batch"):
        return batch_of_mixed_lengths(runner, ids, lengths, texts, isa, threads)
    return one_at_a_time(runner, ids, lengths, texts, isa, threads, EXTRA_PADDING if mode == "padded" else 0)


def spread_out(count, wanted):
    """Indices of `wanted` texts, evenly over all."""
    return [int(index) for index in np.linspace(0, count - 1, min(count, wanted)).round()]


def measure(work, blob, ref_texts):
    """{"isas": {isa: {mode: {"same", "of"}} or a reason}, "identical": bool}

    What a text must give is what it gave alone at the first ISA level that ran it: for `ref_texts` texts the
    scalar reference, which is too slow for all of them by default, for the others the next level.
    """
    ids, lengths = scored_texts(work)
    wanted, isas, identical, compared = {}, {}, True, False
    with ours.Runner(blob) as runner:
        for isa in ours.ISAS:
            texts = spread_out(len(ids), ref_texts if isa == "ref" else len(ids))
            modes = {}
            try:
                for mode in MODES:
                    found = run_mode(mode, runner, ids, lengths, texts, isa)
                    if mode == "alone":
                        wanted = found | wanted
                    same = sum(found[text] == wanted[text] for text in texts)
                    modes[mode] = {"same": same, "of": len(texts)}
                    identical = identical and same == len(texts)
                    compared = compared or mode != "alone"
                isas[isa] = modes
            except ours.Failed as error:
                if error.code == ours.CPU_LACKS_ISA and not modes:
                    isas[isa] = "not on this CPU"
                else:
                    isas[isa] = str(error)
                    identical = False
            print(f"same bits: {isa}", file=sys.stderr, flush=True)
    # No comparison at all is no proof.
    return {"isas": isas, "identical": identical and compared}
