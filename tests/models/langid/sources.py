"""Writes SOURCES.md from the downloaded packages: version, licence, use and how many lines of each were kept.

    python sources.py --work DIR         after corpus.py
"""
import argparse
import collections
import re
import subprocess
from pathlib import Path

from corpus import HERE, packages

_NAMES = ("GPL-3", "GPL-2", "LGPL-3", "LGPL-2.1", "LGPL-2", "GPL", "LGPL", "MPL-1.1", "MPL-2.0", "FDL", "CC-BY-SA", "Creative Commons",
          "BSD", "MIT", "Artistic", "public domain")

_HEAD = """# Where the training text comes from

All text comes out of Debian 12 packages, downloaded with `apt-get download` and unpacked by `corpus.py`; none of it is in this
repository. `train`: running text. `words`: word lists. `held`: never trained on, only for judging. The licence is that of
`Files: *` in the package's copyright file, or else the licence names that the file mentions (marked with a star); single
files may differ, the copyright files tell. Lines: what was kept after cleaning and the limits per language.
This file is written by `sources.py`.

| package | version | use | lines | licence |
|---|---|---|---|---|
"""


def licence(text):
    """The licence of most files: the `Files: *` paragraph, or the names mentioned in a free-form file."""
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.M):
            found = re.search(r"^License:\s*(\S.*)$", paragraph, re.M)
            if found and "This program" not in found.group(1):
                return found.group(1).replace("|", "or").strip()
    flat = re.sub(r"\s+", " ", text.replace("General Public License version", "GPL"))
    # A name that is part of a longer one found (GPL in LGPL-2.1) is not a licence of its own.
    names = [n for n in _NAMES if re.search(r"(?<![\w-])" + re.escape(n) + r"(?![\w.-]*\d)", flat)]
    return (", ".join(names) if names else "see the package") + " *"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work
    lines = collections.Counter()
    for name in ("train", "words", "short", "held"):
        with open(work / f"{name}.tsv", encoding="utf-8") as file:
            lines.update(line.split("\t")[1] for line in file)
    rows = []
    for name, role in packages():
        deb = next((work / "debs").glob(name + "_*.deb"))
        version = subprocess.run(["dpkg-deb", "-f", deb, "Version"], check=True, capture_output=True, text=True).stdout.strip()
        copyright_file = work / "x" / name / "usr/share/doc" / name / "copyright"
        text = copyright_file.read_text("utf-8", "replace") if copyright_file.exists() else ""
        rows.append(f"| {name} | {version} | {role} | {lines[name]} | {licence(text)} |")
    (HERE / "SOURCES.md").write_text(_HEAD + "\n".join(rows) + "\n")
    print(len(rows), "packages,", sum(lines.values()), "lines")


if __name__ == "__main__":
    main()
