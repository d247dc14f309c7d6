"""The ids of a text, as rt/text/ngram.h defines them; check_features.py compares the two."""
import codecs
import functools

BUCKETS, MAX_IDS, PAD, NO_TEXT, FIRST_SCRIPT, FIRST_HASH, WORD_MAX = 8192, 128, 0, 1, 2, 16, 16
TRIGRAM, WORD, SINGLE, PAIR = 1, 2, 3, 4
SEPARATOR, LETTER, IDEOGRAPH = 0, 1, 2
BOUNDARY = 0x20

# A bad byte is one U+FFFD and decoding resumes right after it (Python's own "replace" swallows longer runs).
codecs.register_error("langid", lambda error: ("\ufffd", error.start + 1))


@functools.lru_cache(maxsize=None)
def fold(cp):
    if cp < 0x80:
        return cp + 32 if 0x41 <= cp <= 0x5A else cp
    if 0xC0 <= cp <= 0xDE:
        return cp if cp == 0xD7 else cp + 32
    single = {0x130: 0x69, 0x178: 0xFF, 0x386: 0x3AC, 0x38C: 0x3CC, 0x3C2: 0x3C3}
    if cp in single:
        return single[cp]
    if 0x139 <= cp <= 0x148 or 0x179 <= cp <= 0x17E or cp == 0x1AF:
        return cp + (cp & 1)
    for low, high in ((0x100, 0x137), (0x14A, 0x177), (0x1A0, 0x1A1), (0x200, 0x233), (0x1E00, 0x1E95),
                      (0x1EA0, 0x1EFF), (0x490, 0x4BF)):
        if low <= cp <= high:
            return cp | 1
    for low, high, offset in ((0x388, 0x38A, 37), (0x38E, 0x38F, 63), (0x391, 0x3AB, 32), (0x410, 0x42F, 32),
                              (0x400, 0x40F, 80)):
        if low <= cp <= high:
            return cp + offset
    return cp


@functools.lru_cache(maxsize=None)
def kind_of(cp):
    if cp < 0xC0:
        return LETTER if 0x61 <= cp <= 0x7A or cp in (0xAA, 0xBA) else SEPARATOR
    if cp < 0x2000:
        marks = (0xD7, 0xF7, 0x37E, 0x387, 0x5BE, 0x60C, 0x61B, 0x61F, 0x640, 0x6D4, 0xE3F)
        spans = ((0x660, 0x66D), (0x6F0, 0x6F9), (0x964, 0x96F), (0xE4F, 0xE5B))
        return SEPARATOR if cp in marks or any(low <= cp <= high for low, high in spans) else LETTER
    if cp < 0x2E80:
        return LETTER if cp == 0x200C else SEPARATOR
    if cp == 0x3005:
        return IDEOGRAPH
    if 0x3000 <= cp <= 0x303F or cp == 0x30FB:
        return SEPARATOR
    if cp < 0xA000 or any(low <= cp <= high for low, high in ((0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D),
                                                              (0x20000, 0x3FFFF))):
        return IDEOGRAPH
    if cp >= 0xE000 and not 0xFB00 <= cp <= 0xFDFF and not 0xFE70 <= cp <= 0xFEFC:
        return SEPARATOR
    return LETTER


# Number 0 is Latin; everything not listed is Han (7) if an ideograph, else other (10).
_SCRIPTS = ((0, 0, 0x36F), (0, 0x1E00, 0x1EFF), (1, 0x370, 0x3FF), (1, 0x1F00, 0x1FFF), (2, 0x400, 0x52F), (3, 0x590, 0x5FF),
            (3, 0xFB1D, 0xFB4F), (4, 0x600, 0x77F), (4, 0x8A0, 0x8FF), (4, 0x200C, 0x200C), (4, 0xFB50, 0xFDFF),
            (4, 0xFE70, 0xFEFF), (5, 0x900, 0x97F), (6, 0xE00, 0xE7F), (8, 0x3040, 0x30FF), (8, 0x31F0, 0x31FF),
            (8, 0xFF66, 0xFF9D), (9, 0xAC00, 0xD7AF), (9, 0x1100, 0x11FF), (9, 0x3130, 0x318F))


@functools.lru_cache(maxsize=None)
def script_number(cp):
    for number, low, high in _SCRIPTS:
        if low <= cp <= high:
            return number
    return 7 if kind_of(cp) == IDEOGRAPH else 10


def _bucket(kind, *cps):
    value = 2166136261
    for cp in (kind, *cps):
        value = (value ^ cp) * 16777619 & 0xFFFFFFFF
    value ^= value >> 13
    value = value * 0x5BD1E995 & 0xFFFFFFFF
    value ^= value >> 15
    return FIRST_HASH + value % (BUCKETS - FIRST_HASH)


# Words repeat, so caching the ids of a whole word makes this fast enough to feed the training.
@functools.lru_cache(maxsize=500_000)
def _word_ids(word):
    padded = (BOUNDARY, *word, BOUNDARY)
    ids, script = [], 0
    for i, cp in enumerate(word):
        if script_number(cp) != script:
            script = script_number(cp)
            ids += [FIRST_SCRIPT - 1 + script] * (script > 0)
        ids.append(_bucket(TRIGRAM, *padded[i:i + 3]))
    if 2 <= len(word) <= WORD_MAX:
        ids.append(_bucket(WORD, *word))
    return ids


@functools.lru_cache(maxsize=500_000)
def _pair_ids(first, second):
    ids = [_bucket(SINGLE, first)]
    if second is not None:
        ids.append(_bucket(PAIR, first, second))
    return ids


def ngrams(text, limit=MAX_IDS):
    """Ids of a str or bytes, 1..limit of them."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    ids, word, run = [], [], SEPARATOR
    for cp in [fold(ord(c)) for c in text.decode("utf-8", "langid")] + [BOUNDARY]:
        kind = kind_of(cp)
        if kind != run:
            if run == LETTER:
                ids.extend(_word_ids(tuple(word)))
            elif run == IDEOGRAPH:
                script = 0
                for first, second in zip(word, word[1:] + [None]):
                    if script_number(first) != script:
                        script = script_number(first)
                        ids += [FIRST_SCRIPT - 1 + script] * (script > 0)
                    ids.extend(_pair_ids(first, second))
            if len(ids) >= limit:
                break
            word, run = [], kind
        word.append(cp)
    return ids[:limit] or [NO_TEXT]
