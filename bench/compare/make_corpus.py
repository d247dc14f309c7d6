"""make_corpus.py WORKDIR [SEED]: draws English texts out of installed documentation and tokenizes them.

WORKDIR/texts/scored.txt       300 texts that accuracy and same-bits are measured on
WORKDIR/texts/calibration.txt  200 other texts for peers that need calibration data
WORKDIR/texts/tokens.npz       both, tokenized: ids padded with 0, and lengths

For measuring only: the texts have mixed licences and are never shipped, so each machine draws its own.
"""
import ast
import glob
import json
import os
import random
import re
import sys
import sysconfig

import numpy as np
from tokenizers import Tokenizer

SCORED, CALIBRATION, MAX_TOKENS = 300, 200, 128
# A sentence of plain prose: starts with a letter and holds no code, markup or tables.
PROSE = re.compile(r"[A-Za-z][A-Za-z0-9 ,.'()\-:;\"/]+")
BREAK = re.compile(r"\n\s*\n|(?<=[.!?])\s+")


def package_documents(python):
    site = os.path.join(os.path.dirname(os.path.dirname(python)), "lib", "python*", "site-packages")
    patterns = ["/usr/share/doc/*/README*", "/usr/share/perl/5*/pod/*.pod",
                os.path.join(site, "*.dist-info", "METADATA")]
    for path in sorted(path for pattern in patterns for path in glob.glob(pattern)):
        try:
            with open(path, encoding="utf-8", errors="ignore") as file:
                yield file.read()
        except OSError:
            continue


def library_docstrings():
    for path in sorted(glob.glob(os.path.join(sysconfig.get_paths()["stdlib"], "*.py"))):
        with open(path, encoding="utf-8", errors="ignore") as file:
            try:
                tree = ast.parse(file.read())
            except SyntaxError:
                continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield ast.get_docstring(node) or ""


def sentences(documents):
    found = {}
    for document in documents:
        for piece in BREAK.split(document):
            text = " ".join(piece.split())
            if 30 < len(text) < 600 and PROSE.fullmatch(text):
                # Boilerplate differs in case and punctuation only; one copy must not be scored twice
                # nor sit in both parts.
                found.setdefault(re.sub(r"[^a-z0-9]+", " ", text.lower()), text)
    return list(found.values())


def tokenize(tokenizer, texts):
    ids = [tokenizer.encode(text).ids for text in texts]
    lengths = np.array([len(row) for row in ids], np.int32)
    padded = np.zeros((len(ids), int(lengths.max())), np.int64)
    for row, values in zip(padded, ids):
        row[:len(values)] = values
    return padded, lengths


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    work = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) == 3 else 7
    with open(os.path.join(work, "environments.json"), encoding="utf-8") as file:
        environments = json.load(file)
    documents = list(package_documents(environments["main"]))
    texts = sentences(documents)
    if len(texts) < SCORED + CALIBRATION:
        # A bare system has few READMEs. Docstrings are on every machine, but short and alike, so they come second.
        texts = sentences(documents + list(library_docstrings()))
    if len(texts) < SCORED + CALIBRATION:
        sys.exit(f"only {len(texts)} sentences found, {SCORED + CALIBRATION} needed: "
                 "install packages with documentation")
    random.Random(seed).shuffle(texts)
    parts = {"scored": texts[:SCORED], "calibration": texts[SCORED:SCORED + CALIBRATION]}

    tokenizer = Tokenizer.from_file(os.path.join(environments["minilm"], "model", "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    folder = os.path.join(work, "texts")
    os.makedirs(folder, exist_ok=True)
    arrays = {}
    for name, part in parts.items():
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(part) + "\n")
        arrays[name + "_ids"], arrays[name + "_lengths"] = tokenize(tokenizer, part)
    # Last, because its presence means that the step is done.
    unfinished = os.path.join(folder, "unfinished.npz")
    np.savez(unfinished, **arrays)
    os.replace(unfinished, os.path.join(folder, "tokens.npz"))
    lengths = arrays["scored_lengths"]
    print(f"corpus: {len(texts)} sentences found, {SCORED} scored (tokens: mean {lengths.mean():.1f}, "
          f"max {lengths.max()}), {CALIBRATION} for calibration")


if __name__ == "__main__":
    main()
