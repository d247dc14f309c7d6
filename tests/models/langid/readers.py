"""Readers for the text formats found in the packages: each yields (locale, English source or None, text)."""
import bz2
import gzip
import html
import re
import struct
import zipfile
from pathlib import Path

_BLOCK = re.compile(r"</?(?:p|li|td|th|h\d|div|title|dt|dd|br|item|note|ul|ol|table|tr|desc|pre|section)\b[^>]*>", re.I)
_SKIP = re.compile(r"<(script|style|pre|code|screen|head)\b.*?</\1>", re.I | re.S)
_TAG = re.compile(r"<[^<>]*>")
_NOISE = re.compile(r"""https?://\S+|www\.\S+|\S+@\S+\.\w+|[\w.-]*/[\w./-]+|%\d*\$?[-+ #0-9.]*l*[a-zA-Z]|\$\(?\w+\)?|%\w+%?
                        |\{[^{}]*\}|\[[a-z_]+\]|\b\w+[._]\w+[\w._]*|--?[a-z][\w-]+|\\[nt]""", re.X)
_SPACE = re.compile(r"\s+")


def clean(text):
    """Drops markup, placeholders, addresses, file names and keyboard mnemonics: none of them is language."""
    text = html.unescape(_TAG.sub(" ", text))
    text = re.sub(r"\([_&~][A-Za-z]\)", "", text)            # Asian catalogues append the mnemonic: "(_F)"
    text = re.sub(r"(?<!\w)[_&~](?=\w)|(?<=\w)[_&~](?=\w)", "", text)
    return _SPACE.sub(" ", _NOISE.sub(" ", text)).strip(" \u200e\u200f\"'*#|=<>-")


def read_mo(path):
    """A gettext catalogue. Contexts and plural forms are split off; the header entry has an empty msgid."""
    data = Path(path).read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, ids, texts = struct.unpack_from(order + "3I", data, 8)
    for k in range(count):
        size, at = struct.unpack_from(order + "2I", data, ids + 8 * k)
        source = data[at:at + size].decode("utf-8", "replace").split("\4")[-1].split("\0")
        size, at = struct.unpack_from(order + "2I", data, texts + 8 * k)
        if source[0]:
            for text in data[at:at + size].decode("utf-8", "replace").split("\0"):
                if text not in source:
                    yield source[0], text


def read_markup(path):
    """HTML, Mallard pages and DocBook: the text of each block element."""
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(Path(path).suffix, open)
    with opener(path, "rb") as file:
        data = file.read()
    charset = re.search(rb"charset=[\"']?([\w-]+)", data[:2000])
    try:
        text = data.decode(charset.group(1).decode() if charset else "utf-8", "replace")
    except LookupError:
        return
    for block in _BLOCK.split(_SKIP.sub(" ", text)):
        yield block


def read_xpi(path):
    """A Mozilla language pack: Fluent and properties files in a zip."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith((".ftl", ".properties")):
                text = archive.read(name).decode("utf-8", "replace")
                text = re.sub(r"^#.*$", "", text, flags=re.M)
                for match in re.finditer(r"^[\s\w.-]*=[ \t]*(.+(?:\n[ \t]+[^.\s\[*}].*)*)", text, flags=re.M):
                    yield match.group(1)


def read_annotations(path):
    """Unicode CLDR emoji names and keywords: everyday words, in about every language."""
    for match in re.finditer(r"<annotation[^>]*>([^<]*)<", Path(path).read_text("utf-8")):
        yield from match.group(1).split("|")


def read_words(path):
    """A word list or a hunspell dictionary (stems, with flags after a slash)."""
    path = Path(path)
    charset = "utf-8"
    if path.suffix == ".dic":
        affixes = path.with_suffix(".aff")
        found = re.search(rb"^\s*SET\s+(\S+)", affixes.read_bytes(), re.M) if affixes.exists() else None
        charset = found.group(1).decode() if found else "utf-8"
        charset = {"microsoft-cp1251": "cp1251"}.get(charset.lower(), charset)
    for line in path.read_bytes().decode(charset, "replace").splitlines():
        word = re.split(r"[/\t ]", line.strip())[0]
        if word and not re.search(r"[\d.\ufffd]", word):
            yield word
