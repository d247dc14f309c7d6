"""Comparison of outputs with a reference, and what a conversion's report had promised of them."""
from dataclasses import asdict, dataclass

import numpy as np

# A reference without errors has no finite ratio; a table cell needs a number.
EXACT_DB = 200.0
RIGHT_COSINE = 0.999
PROMISE_DB = 3.0


@dataclass
class Figures:
    cosine: float
    sqnr_db: float
    largest_error: float
    largest_value: float
    agreement: float
    note: str = ""

    def as_dict(self):
        return asdict(self)


def flat(arrays):
    return np.concatenate([np.asarray(a).reshape(-1).astype(np.float64) for a in arrays]) if arrays else np.zeros(0)


def compare(found, wanted):
    """Figures over all samples of one output at once, as the converter's certificate counts them."""
    shapes = [(np.shape(a), np.shape(b)) for a, b in zip(found, wanted) if np.shape(a) != np.shape(b)]
    if shapes or len(found) != len(wanted):
        return Figures(0.0, -EXACT_DB, np.inf, 0.0, 0.0, f"shape {shapes[0][0]} instead of {shapes[0][1]}" if shapes else "outputs are missing")
    a, b = flat(found), flat(wanted)
    if a.size == 0:
        return Figures(1.0, EXACT_DB, 0.0, 0.0, 1.0, "empty")
    finite = np.isfinite(b)
    note = ""
    if not np.array_equal(finite, np.isfinite(a)):
        note = "not finite at other places"
    elif not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        note = "other infinities"
    both = finite & np.isfinite(a)
    a, b = a[both], b[both]
    agreement = float(np.mean(a == b)) if a.size else 1.0
    power, error = float(b @ b), float((a - b) @ (a - b))
    largest = float(np.abs(a - b).max()) if a.size else 0.0
    value = float(np.abs(b).max()) if b.size else 0.0
    if power == 0:
        return Figures(1.0 if error == 0 else 0.0, EXACT_DB if error == 0 else -EXACT_DB, largest, value, agreement, note or "reference is zero")
    length = float(np.sqrt((a @ a) * power))
    cosine = float(a @ b) / length if length > 0 else 0.0
    db = EXACT_DB if error == 0 else min(EXACT_DB, 10 * np.log10(power / error))
    return Figures(0.0 if note else cosine, float(db), largest, value, agreement, note)


def promised(report, output):
    """What the conversion's JSON says of an output: {cosine, sqnr_db, evidence} or None where it was not compared."""
    for row in report.get("outputs", []):
        if row["name"] == output:
            return row
    return None


def warned(report, output):
    """Whether a warning names this output."""
    return any(f"'{output}'" in warning for warning in report.get("warnings", []))


def verdict(figures, promise, has_warning):
    """right; warned (a warning names the output); wrong; too good (right or not, its certificate promised more than 3 dB more)."""
    right = figures.cosine >= RIGHT_COSINE
    if has_warning:
        return "right" if right else "warned"
    # Above 60 dB nobody decides by the difference: both say that nothing can be seen.
    measured = min(figures.sqnr_db, 60.0)
    certified = promise.get("sqnr_db") if promise else None
    gap = min(certified, 60.0) - measured if certified is not None else 0.0
    if not right:
        return "wrong"
    return "too good" if gap > PROMISE_DB else "right"
