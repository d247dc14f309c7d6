"""Sums over the arrays of an output and of its reference."""
import numpy as np

from verdict import Sums

LEAST_PROBABILITY = 0.001


def flat(arrays):
    return np.concatenate([np.asarray(a).reshape(-1).astype(np.float64) for a in arrays])


def logit(p):
    p = np.clip(p, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    return np.log(p / (1 - p))


def compared(found, wanted):
    """found, wanted: one array for each sample."""
    if len(found) != len(wanted):
        return Sums(wrong="outputs are missing")
    for a, b in zip(found, wanted):
        if np.shape(a) != np.shape(b):
            return Sums(wrong=f"shape {np.shape(a)} instead of {np.shape(b)}")
    if not wanted:
        return Sums()
    a, b = flat(found), flat(wanted)
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return Sums(wrong="other infinities or NaN")
    a, b = a[finite], b[finite]
    if b.size == 0:
        return Sums()
    difference = a - b
    # Certain ones, and sure of the same, say nothing of odds.
    odds = logit(a) - logit(b)
    counted = (odds != 0) | ((b >= LEAST_PROBABILITY) & (b <= 1 - LEAST_PROBABILITY))
    return Sums(b.size, float(a @ b), float(b @ b), float(a @ a), float(difference @ difference), float(np.abs(difference).max()),
                float(np.abs(b).max()), int((difference == 0).sum()), int(counted.sum()), float(odds[counted] @ odds[counted]))
