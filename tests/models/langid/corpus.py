"""Collects the training and held-out text from Debian packages (see SOURCES.md); nothing is installed.

    python corpus.py --work DIR          downloads, unpacks and writes DIR/{train,words,held}.tsv
"""
import argparse
import collections
import random
import re
import subprocess
from pathlib import Path

import readers
from languages import CODES, SCRIPT, class_of, script_of

HERE = Path(__file__).parent
_END = re.compile(r"(?<=[.!?…।])\s+|(?<=[。！？])")
# Commonest English words: text of another Latin language that holds many of them was left untranslated.
_ENGLISH = set("the of and to is in for this that with are be you your it as or not can from will an by on if".split())


def packages():
    """(name, role) of each line in packages.txt; the role decides between training and held-out text."""
    for line in (HERE / "packages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield tuple(line.split())


def unpack(work):
    debs = work / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    have = {path.name.split("_")[0] for path in debs.glob("*.deb")}
    missing = [name for name, _ in packages() if name not in have]
    if missing:
        subprocess.run(["apt-get", "download", *missing], cwd=debs, check=True)
    for path in debs.glob("*.deb"):
        target = work / "x" / path.name.split("_")[0]
        if not target.exists():
            target.mkdir(parents=True)
            subprocess.run(["dpkg", "-x", path, target], check=True)


def _locale_in(path):
    """The locale of a help file: the path component that names one, searched from the file upward."""
    for part in reversed(path.parts[:-1]):
        if re.fullmatch(r"C|[a-z]{2,3}([_-][A-Z]{2})?", part) and class_of(part):
            return part
    return None


def texts(root, role):
    """Yields (kind, locale, English source, raw text) of every readable file of one unpacked package."""
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        name, text = path.name, str(path)
        if name.endswith(".mo"):
            locale = path.parent.parent.name
            if class_of(locale):
                for source, value in readers.read_mo(path):
                    yield "text", locale, source, value
        elif name.endswith(".xpi"):
            locale = re.search(r"langpack-([\w-]+)@", name)
            for value in readers.read_xpi(path):
                yield "text", locale.group(1), None, value
        elif role == "words" and (name.endswith(".dic") and not name.startswith("hyph") or "/share/dict/" in text):
            locale = {"ngerman": "de", "american-english": "en", "french": "fr", "dutch": "nl", "swedish": "sv",
                      "danish": "da", "polish": "pl", "ukrainian": "uk", "italian": "it", "spanish": "es",
                      "portuguese": "pt", "bulgarian": "bg", "bokmaal": "nb"}.get(name, path.stem)
            for value in readers.read_words(path):
                yield "word", locale, None, value
        elif "/annotations" in text and name.endswith(".xml"):
            if class_of(path.stem):
                for value in readers.read_annotations(path):
                    yield "short", path.stem, None, value
        elif re.search(r"\.(x?html|page|docbook)(\.gz)?$", name):
            # The installation guide keeps its languages apart by folder, Apache style guides by suffix.
            suffix = re.search(r"\.([a-z]{2}(?:_[A-Z]{2})?)\.html", name)
            locale = suffix.group(1) if suffix else _locale_in(path)
            if locale:
                for value in readers.read_markup(path):
                    yield "text", locale, None, value


def right_script(code, text):
    letters = [script_of(c) for c in text if c.isalpha()]
    if len(letters) < 2 and SCRIPT[code] != "cjk" or not letters:
        return False
    share = sum(s == SCRIPT[code] for s in letters) / len(letters)
    if code == "ja" and share and not re.search(r"[\u3040-\u30ff]", text) and len(letters) > 4:
        return False
    if code == "ko" and not re.search(r"[\uac00-\ud7a3]", text):
        return False
    if code in ("zh", "ja") and re.search(r"[\uac00-\ud7a3]", text) or code == "zh" and re.search(r"[\u3040-\u30ff]", text):
        return False
    return share >= (0.9 if SCRIPT[code] == "latn" else 0.6)


def looks_english(text):
    words = re.findall(r"[a-z]+", text.lower())
    return len(words) >= 4 and sum(w in _ENGLISH for w in words) / len(words) > 0.25


def collect(work):
    english, found = set(), {"train": {}, "held": {}, "words": {}, "short": {}}
    for name, role in packages():
        count = 0
        for kind, locale, source, raw in texts(work / "x" / name, role):
            code = class_of(locale)
            if source is not None:
                source = readers.clean(source)
                english.add(source.lower())
                if name in ("wesnoth-1.16-data", "gnucash-common", "evolution-common") or name.startswith("libreoffice"):
                    if locale == "de":
                        found["train"].setdefault(("en", source), name)
            if code is None:
                continue
            bucket = {"word": "words", "short": "short"}.get(kind, role)
            if kind == "word":
                found["words"].setdefault((code, raw), name)
                continue
            text = readers.clean(raw)
            if code == "en" and kind == "text":
                english.add(text.lower())
            if text:
                found[bucket].setdefault((code, text), name)
                count += 1
        print(f"{name}: {count} pieces", flush=True)
    return english, found


def sentences(pairs, english):
    """Splits into sentences and drops what is English, of the wrong script or not text."""
    result = {}
    for (code, text), name in pairs.items():
        if code != "en" and text.lower() in english:
            continue
        for part in _END.split(text):
            part = part.strip()
            if 2 <= len(part) <= 400 and right_script(code, part):
                if code == "en" or part.lower() not in english and not looks_english(part):
                    result.setdefault((code, part), name)
    return result


def write(path, pairs, limit, seed):
    """Keeps at most `limit` lines a language, chosen at random with a fixed seed; prints the counts."""
    lines = collections.defaultdict(list)
    for (code, text), name in sorted(pairs.items()):
        lines[code].append((code, name, text))
    rng = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        for code in CODES:
            rng.shuffle(lines[code])
            for line in lines[code][:limit]:
                file.write("\t".join(line) + "\n")
    print(path.name, {code: min(limit, len(lines[code])) for code in CODES}, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work
    unpack(work)
    english, found = collect(work)
    train = sentences(found["train"], english)
    owners = collections.Counter(text.lower() for _, text in train)
    train = {key: name for key, name in train.items() if owners[key[1].lower()] <= 2}
    seen = {text.lower() for _, text in train}
    held = sentences(found["held"], english)
    owners = collections.Counter(text.lower() for _, text in held)
    # A sentence that two languages share has no one right answer, and none may equal a training sentence.
    held = {key: name for key, name in held.items() if owners[key[1].lower()] == 1 and key[1].lower() not in seen}
    short = {key: name for key, name in found["short"].items() if key[0] == "en" or key[1].lower() not in english}
    write(work / "train.tsv", train, 60000, 1)
    write(work / "held.tsv", held, 2500, 2)
    write(work / "short.tsv", {k: n for k, n in short.items() if right_script(*k)}, 8000, 3)
    write(work / "words.tsv", {k: n for k, n in found["words"].items() if right_script(*k)}, 30000, 4)


if __name__ == "__main__":
    main()
