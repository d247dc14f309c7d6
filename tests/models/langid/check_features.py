"""Compiles rt/text/ngram.cc with the host's compiler and requires the same ids from it and from features.py.

    python check_features.py [--texts FILE.tsv ...]     FILE has the text in its last column; default texts.tsv
"""
import argparse
import ctypes
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import features

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SOURCES = [ROOT / "rt/text/ngram.cc", ROOT / "rt/text/utf8.cc"]


def build(folder):
    """The library's function as a Python callable."""
    library = Path(folder) / "ngram.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fno-exceptions", "-fno-rtti",
                    "-shared", "-fPIC", f"-I{ROOT}", "-o", library, *SOURCES], check=True)
    function = ctypes.CDLL(str(library)).ert_ngram_ids
    form = (ctypes.c_uint32 * 5)(features.BUCKETS, features.FIRST_HASH, features.FIRST_SCRIPT, features.NO_TEXT, features.WORD_MAX)
    function.restype = ctypes.c_uint32
    function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int32), ctypes.c_uint32]

    def call(data, limit=features.MAX_IDS):
        # One more than allowed, with a guard value, shows a write past the end.
        ids = (ctypes.c_int32 * (limit + 1))(*[-7] * (limit + 1))
        count = function(form, data, len(data), ids, limit)
        if ids[limit] != -7:
            raise AssertionError("ngram.cc wrote past its limit")
        return list(ids[:count])
    return call


def inputs(paths, rng):
    """Real lines, then every character of the folded ranges, then damaged and random bytes."""
    lines = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines += [line.rstrip("\n").split("\t")[-1].encode() for line in file]
    lines = rng.sample(lines, min(6000, len(lines)))
    yield from lines
    for start in range(0, 0x3400, 16):
        yield "".join(chr(cp) for cp in range(start, start + 16)).encode()
    for start in (0x9FF0, 0xABF0, 0xD790, 0xDFF0, 0xF8F0, 0xFAF0, 0xFDF0, 0xFE60, 0xFEF0, 0xFF60, 0xFF90, 0x1F5F0, 0x1FFF0,
                  0x2FFF0, 0x3FFF0, 0x10FFF0):
        yield "".join(chr(cp) for cp in range(start, start + 32) if cp < 0x110000).encode("utf-8", "surrogatepass")
    for line in lines[:2000]:
        damaged = bytearray(line)
        for _ in range(3):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        yield bytes(damaged[:rng.randrange(len(damaged) + 1)])
    for _ in range(4000):
        yield bytes(rng.choice((rng.randrange(256), rng.randrange(0x80, 0x100))) for _ in range(rng.randrange(40)))
    yield from (b"", b" ", b"12 34", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", "İıẞﬁ".encode(), b"\0a\0")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, nargs="*", default=[HERE / "texts.tsv"])
    args = parser.parse_args()
    compared = differing = 0
    with tempfile.TemporaryDirectory() as folder:
        in_c = build(folder)
        for data in inputs(args.texts, random.Random(5)):
            for limit in (features.MAX_IDS, 5):
                compared += 1
                if in_c(data, limit) != features.ngrams(data, limit):
                    differing += 1
                    print("differs:", data, in_c(data, limit)[:8], features.ngrams(data, limit)[:8], file=sys.stderr)
        # The detector must be able to fail: another text has to give other ids.
        if in_c(b"one text") == features.ngrams(b"another text"):
            sys.exit("check_features: the comparison cannot fail")
    print(f"check_features: {compared} comparisons, {differing} differ")
    sys.exit(differing != 0)


if __name__ == "__main__":
    main()
