"""Cuts training samples of every length and condition out of the collected text."""
import random
import re
import unicodedata

from languages import CODES, SCRIPT

_PUNCTUATION = re.compile(r"[^\w\s]")


def load(path, package=None):
    """{code: [text]} of a file written by corpus.py, of one package only if named."""
    result = {code: [] for code in CODES}
    with open(path, encoding="utf-8") as file:
        for line in file:
            code, name, text = line.rstrip("\n").split("\t")
            if package in (None, name):
                result[code].append(text)
    return result


class Sampler:
    """Draws (class, text). Documentation is long and technical, what people type is short and everyday: so most
    samples are single words and short windows, and everyday sources (everyday.tsv, word lists, emoji names) weigh
    more than their size."""

    def __init__(self, work, everyday, seed):
        self.rng = random.Random(seed)
        self.train = load(work / "train.tsv")
        # A game's dialogue is the only running text of these packages in which people talk to each other.
        self.dialogue = load(work / "train.tsv", "wesnoth-1.16-data")
        self.words = load(work / "words.tsv")
        self.short = load(work / "short.tsv")
        self.everyday = {code: [] for code in CODES}
        for line in everyday.read_text(encoding="utf-8").splitlines():
            code, texts = line.split("\t")
            self.everyday[code] += texts.split(" | ")

    def _window(self, code, text, low, high):
        """A run of words; of characters where words are not spaced."""
        rng = self.rng
        if SCRIPT[code] in ("thai", "cjk") and code != "ko":
            # Characters carry about as much as half a word here.
            size = rng.randint(2 * low, 3 * high)
            at = rng.randrange(max(1, len(text) - size + 1))
            return text[at:at + size]
        words = text.split()
        size = rng.randint(low, high)
        at = rng.randrange(max(1, len(words) - size + 1))
        return " ".join(words[at:at + size])

    def _clean_text(self, code):
        rng = self.rng
        draw = rng.random()
        if draw < 0.08:
            text = rng.choice(self.everyday[code])
            return text if rng.random() < 0.4 else self._window(code, text, 1, 4)
        if draw < 0.15 and self.words[code]:
            return rng.choice(self.words[code])
        if draw < 0.20:
            return rng.choice(self.short[code])
        source = self.dialogue if rng.random() < 0.2 and len(self.dialogue[code]) > 200 else self.train
        text = rng.choice(source[code])
        if draw < 0.28:
            return self._window(code, text, 1, 1)
        if draw < 0.58:
            return self._window(code, text, 2, 6)
        if draw < 0.90:
            return text
        return text + " " + rng.choice(self.train[code])

    def _disturb(self, code, text):
        rng = self.rng
        draw = rng.random()
        if draw < 0.15:
            text = text.lower()
        elif draw < 0.22:
            text = text.upper()
        elif draw < 0.27:
            text = text.title()
        if rng.random() < 0.2:
            text = _PUNCTUATION.sub(" ", text)
        if rng.random() < 0.02 and SCRIPT[code] == "latn":
            text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
        # Names and foreign words inside a text must not turn it; half of them English, as in real life.
        if code != "en" and len(text) > 25 and rng.random() < 0.15:
            other = "en" if rng.random() < 0.6 else rng.choice(CODES)
            insert = self._window(other, rng.choice(self.train[other]), 1, 2)
            if len(insert) * 3 < len(text):
                words = text.split()
                words.insert(rng.randint(0, len(words)), insert)
                text = " ".join(words)
        if rng.random() < 0.03:
            text += f" {rng.randrange(3000)}"
        return text

    def draw(self):
        code = self.rng.choice(CODES)
        return CODES.index(code), self._disturb(code, self._clean_text(code))
