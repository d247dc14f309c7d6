"""generate.py OUT.inc: what the references know of Unicode, asked of them: every code point is given to the components of Hugging Face `tokenizers`
(0.23.3) whose tables these are. They disagree with each other, because each carries the Unicode version of a library of its own. Graphemes come from
`regex` (2026.11.15), whose version unicode-segmentation has too; combining classes from Python's unicodedata, where the reference's order of characters
shows that it has one. The result is one zlib stream (unicode_data.cc reads it), as bytes of a C array.

    python3 -m venv venv && venv/bin/pip install tokenizers==0.23.3 regex==2026.11.15 && venv/bin/python generate.py unicode_data.inc"""
import struct
import sys
import unicodedata
import zlib

import regex
from tokenizers import Regex, normalizers, pre_tokenizers

CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def ranges(codes):
    """count, then (gap to the last end, length) of each run."""
    runs = []
    for c in sorted(codes):
        if runs and runs[-1][1] == c:
            runs[-1][1] = c + 1
        else:
            runs.append([c, c + 1])
    out, last = varint(len(runs)), 0
    for a, b in runs:
        out += varint(a - last) + varint(b - a)
        last = b
    return out


def mappings(pairs):
    """count, then (gap to the last code point, length, code points) of each."""
    out, last = varint(len(pairs)), 0
    for c, text in sorted(pairs.items()):
        out += varint(c - last) + varint(len(text)) + b"".join(varint(ord(t)) for t in text)
        last = c
    return out


def normalized(normalizer):
    return {c: text for c in CODES if (text := normalizer.normalize_str(chr(c))) != chr(c)}


def isolated(pre_tokenizer):
    """Code points that stand alone between two letters."""
    return [c for c in CODES if len(pre_tokenizer.pre_tokenize_str("a" + chr(c) + "b")) == 3]


def dropped(pre_tokenizer):
    return [c for c in CODES if [p for p, _ in pre_tokenizer.pre_tokenize_str("a" + chr(c) + "b")] == ["a", "b"]]


def matched(expression):
    """What an expression of Split matches."""
    text = "".join(map(chr, CODES))
    split = pre_tokenizers.Split(Regex(expression), "removed", invert=True)
    return [ord(c) for piece, _ in split.pre_tokenize_str(text) for c in piece]


def combining():
    """Characters that the reference moves before, or behind, one of another class."""
    nfd = normalizers.NFD()
    classes = {}
    for c in CODES:
        k = unicodedata.combining(chr(c))
        # U+0334 has class 1, U+0345 has 240.
        moves = nfd.normalize_str("a" + chr(c) + "\u0334") == "a\u0334" + chr(c) or nfd.normalize_str("a\u0345" + chr(c)) == "a" + chr(c) + "\u0345"
        if moves:
            assert k != 0, hex(c)
            classes[c] = k
    return classes


def compositions(decomposed):
    nfc = normalizers.NFC()
    found = {}
    for c, d in decomposed.items():
        first = nfc.normalize_str(d[:-1])
        if len(d) >= 2 and not 0xAC00 <= c < 0xD7A4 and len(first) == 1 and nfc.normalize_str(d) == chr(c):
            found[c] = first + d[-1]
    return found


GRAPHEMES = ["CR", "LF", "Control", "Extend", "ZWJ", "Prepend", "SpacingMark", "Regional_Indicator", "L", "V", "T", "LV", "LVT"]


def joined():
    """Code points that the reference takes for one grapheme with the "a" before them: a Precompiled that knows only "a" makes "b" of both. `regex` may be
    newer than the library that the reference has: 2026.11.15 has U+05C8 and U+05C9 for marks, which 0.23.3 does not know."""
    at = 256 ^ ord("a")
    units = [0] * 1024
    units[0] = 256 << 10
    units[at] = (at ^ 512) << 10 | 1 << 8 | ord("a")
    units[512] = 1 << 31
    trie = struct.pack("<1024I", *units)
    step = normalizers.Precompiled(struct.pack("<I", len(trie)) + trie + b"b\0")
    assert step.normalize_str("a-a") == "b-b"
    return {c for c in CODES if step.normalize_str("a" + chr(c)) == "b"}


def graphemes():
    """Code points of each class of rt/text/format.h (GraphemeClass), from 1 on."""
    text = "".join(map(chr, CODES))
    find = lambda p: {ord(c) for c in regex.findall(p, text)}
    classes = [find(r"\p{GCB=%s}" % name) for name in GRAPHEMES]
    linkers, consonants, extends = find(r"\p{InCB=Linker}"), find(r"\p{InCB=Consonant}"), find(r"\p{InCB=Extend}")
    extend = classes[GRAPHEMES.index("Extend")]
    classes[GRAPHEMES.index("Extend")] = extend - linkers - extends
    known = joined()
    for name in ("Extend", "ZWJ", "SpacingMark"):
        classes[GRAPHEMES.index(name)] &= known
    assert known <= linkers | extends | set().union(*(classes[GRAPHEMES.index(name)] for name in ("Extend", "ZWJ", "SpacingMark")))
    return classes + [find(r"\p{Extended_Pictographic}"), linkers & extend & known, consonants, extends & extend & known]


def main():
    nfd, nfkd = normalized(normalizers.NFD()), normalized(normalizers.NFKD())
    syllables = range(0xAC00, 0xD7A4)
    canonical = {c: t for c, t in nfd.items() if c not in syllables}
    compatible = {c: t for c, t in nfkd.items() if c not in syllables and nfd.get(c) != t}
    classes = combining()
    strip = normalizers.StripAccents()
    bert = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    cleaned = {c: clean.normalize_str("a" + chr(c) + "b") for c in CODES}
    out = mappings(canonical) + mappings(compatible) + mappings(compositions(canonical))
    out += mappings({c: chr(k) for c, k in classes.items()})
    out += mappings(normalized(normalizers.Lowercase()))
    out += ranges(c for c in CODES if strip.normalize_str("a" + chr(c)) == "a")
    out += ranges(c for c in CODES if c not in nfd and bert.normalize_str("a" + chr(c)) == "a")
    out += ranges(c for c, t in cleaned.items() if t == "a b" and c != 32)
    out += ranges(c for c, t in cleaned.items() if t == "ab")
    out += ranges(isolated(pre_tokenizers.Punctuation()))
    out += ranges(isolated(pre_tokenizers.Digits(individual_digits=True)))
    out += ranges(dropped(pre_tokenizers.WhitespaceSplit()))
    # \w of the pre-tokenizer Whitespace: what goes together with letters.
    word = [c for c in CODES if [p for p, _ in pre_tokenizers.Whitespace().pre_tokenize_str("a" + chr(c) + "b")] == ["a" + chr(c) + "b"]]
    out += ranges(word)
    for expression in [r"\s", r"\p{L}", r"\p{N}", r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"\p{M}"]:
        out += ranges(matched(expression))
    for codes in graphemes():
        out += ranges(codes)
    packed = zlib.compress(out, 9)
    lines = ["// Made by generate.py of this folder. More than 300 lines, because it is data.", f"// {len(out)} bytes, {len(packed)} when packed."]
    numbers = [str(b) for b in packed]
    line = ""
    for n in numbers:
        if len(line) + len(n) > 148:
            lines.append(line)
            line = ""
        line += n + ","
    lines.append(line)
    with open(sys.argv[1], "w") as f:
        f.write("\n".join(lines) + "\n")
    print(len(out), len(packed), {k: len(v) for k, v in dict(canonical=canonical, compatible=compatible, classes=classes, word=word).items()})


if __name__ == "__main__":
    main()
