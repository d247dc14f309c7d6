"""Lines to compare tokenizers on: messages of the catalogs that Debian packages install (/usr/share/locale), and hostile lines. Lines are bytes."""
import gettext
import pathlib
import random

LOCALES = pathlib.Path("/usr/share/locale")


def language(folder):
    """"sr@latin" and "sr_RS" are both "sr"."""
    return folder.split("_")[0].split("@")[0].split(".")[0]


def catalog_lines(path):
    try:
        with open(path, "rb") as f:
            catalog = gettext.GNUTranslations(f)._catalog
    except (OSError, UnicodeDecodeError, ValueError, LookupError):
        return
    for text in catalog.values():
        for line in str(text).split("\n") if isinstance(text, str) else ():
            if line.strip():
                yield line


def real_lines(count, seed):
    """(lines, languages): as many different ones of each language as the smaller catalogs allow, in a random order."""
    languages = {}
    for folder in sorted(LOCALES.iterdir()):
        languages.setdefault(language(folder.name), []).extend(sorted(folder.glob("LC_MESSAGES/*.mo")))
    rng = random.Random(seed)
    pools = {}
    for name, files in sorted(languages.items()):
        lines = list(dict.fromkeys(line for f in files for line in catalog_lines(f)))
        if lines:
            rng.shuffle(lines)
            pools[name] = lines
    chosen, left, share = [], count, {}
    for i, (name, lines) in enumerate(sorted(pools.items(), key=lambda p: len(p[1]))):
        share[name] = lines[: left // (len(pools) - i)]
        left -= len(share[name])
        chosen += share[name]
    rng.shuffle(chosen)
    return [line.encode() for line in chosen], len(share)


ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", " \t\r\x0b\x0c\x85\xa0\u2003\u3000\u2028\u200b\u202f", ".,;:!?'\"`-_/\\()[]{}<>|@#$%^&*~+=",
    "\u0300\u0301\u0302\u0308\u0327\u0345\u0334\u05b0\u064b\u3099\u0f71\u0f72\u1dce\u302e\u20dd", "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u061c", "\x00\x01\x02\x07\x08\x1b\x7f\x80\x9f",
    "éèüñßİıſſﬀﬁﬃǆǅΑΣςσΐᾳẞÅÅK℃", "中文字漢語日本語한국어각가ㄱ각豈", "😀👨‍👩‍👧‍👦🇩🇪🇫🇷👍🏽☃️❤️🏴󠁧󠁢󠁥󠁮󠁧󠁿", "नमस्तेक्षत्रज्ञ्र্যক্ষ", "ﷺﷻ①②½²㎏㍿℡…‥", "▁▁ <s></s>[CLS][MASK]<unk><0x41>##",
    "\ud7ff\ue000\uf8ff\U0001fffe\U000e0001\U000f0000\U0010ffff", "ไทยภาษาລາວខ្មែរမြန်မာ", "עבריתالعربية\u0640\u06f4٣",
]
WORDS = ["[CLS]", "[MASK]", "<s>", "</s>", "<mask>", "<unk>", "<|endoftext|>", "<|startoftext|>", "<pad>", "'s", "'S", "'ſ", "'re", "'LL", "n't", " ", "  ", "\t", "\r", "▁", "##", "1234567", "ABCdefGHI", "<0xE4>"]


def hostile_line(rng):
    kind = rng.randrange(12)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 60)))
    if kind == 1:  # nearly valid
        text = bytearray("".join(rng.choice(rng.choice(ALPHABETS)) for _ in range(rng.randrange(1, 30))).encode("utf-8", "surrogatepass"))
        for _ in range(rng.randrange(1, 4)):
            text[rng.randrange(len(text))] = rng.randrange(256)
        return bytes(text)
    if kind == 2:  # surrogates and overlong forms
        parts = [b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc0\x80", b"\xe0\x80\xaf", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf5", b"\xff", b"a", b" ", "é".encode(), b"\xe4\xb8", b"\xf0\x9f\x98", b"\xef\xbf\xbd"]
        return b"".join(rng.choice(parts) for _ in range(rng.randrange(1, 12)))
    if kind == 3:  # runs of combining marks
        return ("e" + "".join(rng.choice(ALPHABETS[5]) for _ in range(rng.randrange(1, 200)))).encode()
    if kind == 4:
        return "".join(chr(c) for c in (rng.randrange(0x110000) for _ in range(rng.randrange(1, 40))) if not 0xD800 <= c < 0xE000).encode()
    if kind == 5:
        return "".join(rng.choice(WORDS + ["a", "Hello", "ü", "中", "\u0301"]) for _ in range(rng.randrange(1, 15))).encode()
    if kind == 6:  # white space of all sorts
        return "".join(rng.choice(ALPHABETS[3] + "ab.") for _ in range(rng.randrange(1, 30))).encode()
    if kind == 7:
        return "".join(chr(rng.randrange(0x2fff)) for _ in range(rng.randrange(1, 40))).encode()
    alphabets = rng.sample(ALPHABETS, rng.randrange(1, 4))
    return "".join(rng.choice(rng.choice(alphabets)) for _ in range(rng.randrange(0, 60))).encode()


def long_lines(rng):
    """Words of 100 kB: a letter, random letters, marks, one of each script, spaces."""
    size = 100_000
    yield b"a" * size
    yield b" " * size
    yield "".join(rng.choice(ALPHABETS[0]) for _ in range(size)).encode()
    yield ("x" + "\u0301\u0327" * (size // 4)).encode()
    yield ("中" * (size // 3)).encode()
    yield b"\xff" * size
    yield "".join(rng.choice(rng.choice(ALPHABETS)) for _ in range(size // 3)).encode()


def hostile_lines(count, seed):
    rng = random.Random(seed)
    lines = [hostile_line(rng).replace(b"\n", b"") for _ in range(count)]
    return lines + [line for line in long_lines(rng)] + [b""]
