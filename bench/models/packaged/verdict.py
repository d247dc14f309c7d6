"""What sums over an output say, what a conversion's report had promised of it, and what follows. Plain numbers: the tests need no packages."""
import math
from dataclasses import asdict, dataclass

# A reference without errors has no finite ratio; a table cell needs a number.
EXACT_DB = 200.0
RIGHT_COSINE = 0.999
PROMISE_DB = 3.0
# Numbers of classes: how many fewer choices may be the same than on made-up inputs.
PROMISE_CHOICES = 0.02
# Above it nobody decides by the difference: both say that nothing can be seen.
UNSEEN_DB = 60.0
OTHER_TYPE = "; the blob has it as "
NOTHING_DECIDED = "nothing is decided"


@dataclass
class Sums:
    """Over all samples of an output at once, as the converter's certificate counts them."""
    elements: int = 0
    dot: float = 0.0
    power: float = 0.0  # of the reference
    found_power: float = 0.0
    error: float = 0.0  # squares of differences
    largest_error: float = 0.0
    largest_value: float = 0.0
    equal: int = 0
    logits: int = 0  # probabilities that are not certain in both
    logit_error: float = 0.0
    wrong: str = ""  # other shapes, or numbers that are not finite at other places


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


def ratio_db(signal, noise):
    if noise == 0:
        return EXACT_DB
    return max(-EXACT_DB, min(EXACT_DB, 10 * math.log10(signal / noise))) if signal > 0 else -EXACT_DB


def figures(sums, decided_by="value"):
    """Of probabilities the dB are no more than those of their logits between .001 and .999, as in certificates."""
    if sums.wrong:
        return Figures(0.0, -EXACT_DB, sums.largest_error, sums.largest_value, 0.0, sums.wrong)
    if sums.elements == 0:
        return Figures(1.0, EXACT_DB, 0.0, 0.0, 1.0, "empty")
    length = math.sqrt(sums.power) * math.sqrt(sums.found_power)
    cosine = sums.dot / length if length > 0 else float(sums.error == 0)
    db, note = ratio_db(sums.power, sums.error), "" if sums.power > 0 else "reference is zero"
    if decided_by == "logit":
        if sums.logits:
            db = min(db, ratio_db(sums.logits, sums.logit_error))
        else:
            note = NOTHING_DECIDED
    return Figures(cosine, db, sums.largest_error, sums.largest_value, sums.equal / sums.elements, note)


def promised(report, output):
    """What the conversion's report says of an output, or None where it was not compared."""
    return next((row for row in report.get("outputs", []) if row["name"] == output), None)


def warned(report, output):
    """Whether a warning names this output; that it has another type than in the file is no warning of wrong numbers."""
    return any(f"'{output}'" in warning and OTHER_TYPE not in warning for warning in report.get("warnings", []))


def verdict(found, promise, has_warning):
    """right; warned: not right, and a warning names the output; wrong: not right without one; too good: right, but its certificate promises
    more than 3 dB more than is true."""
    if promise and promise.get("scores_before") and not found.note:
        kept = found.agreement >= promise["argmax_agreement"] - PROMISE_CHOICES
        return "right" if kept else "warned" if has_warning else "too good"
    right = found.cosine >= RIGHT_COSINE
    if has_warning or not right:
        return "right" if right else "warned" if has_warning else "wrong"
    # Where ONNX Runtime and the blob are sure of every answer, and of the same, there is nothing that could have been promised.
    if not promise or promise.get("sqnr_db") is None or found.note == NOTHING_DECIDED:
        return "right"
    gap = min(promise["sqnr_db"], UNSEEN_DB) - min(found.sqnr_db, UNSEEN_DB)
    return "too good" if gap > PROMISE_DB else "right"
