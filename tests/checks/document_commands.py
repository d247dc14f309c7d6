#!/usr/bin/env python3
"""document_commands.py ROOT: a script that a document runs by its path can be run, and so can each that begins with #!. Exit 1 lists each command of a *.md whose
first word is a path below a folder of the repository where no executable file is, and each script with #! that is not executable. On every start it must find planted
faults.

Commands are lines of indented or fenced blocks, and `code` in text that has arguments; what stands behind |, && or ; is one more, and VARIABLE=value before it
is passed over. They are typed in the root or beside the document. `python3 script.py` needs no permission. Not seen: a first folder that does not exist."""
import os
import pathlib
import re
import sys
import tempfile

SKIPPED = {"build", ".git"}
FENCE = re.compile(r"^\s*(```|~~~)")
CODE = re.compile(r"`([^`]+)`")
SEPARATOR = re.compile(r"\|\||&&|\||;")
PREFIX = re.compile(r"^\s*(\$\s+)?((\w+=\S*|nice|-n|\d+|exec|sudo|time)\s+)*")
PATH = re.compile(r"^(\./)?(\w[\w.-]*/)+\w[\w.-]*$")
MADE = ("build", "install")  # by other commands


def commands_of(text):
    """(line number, command) of a document."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield from ((number, part) for part in SEPARATOR.split(line.split(" # ")[0]))
        else:
            # In text a path alone is the file's name; with arguments it is run.
            yield from ((number, part) for code in CODE.findall(line) for part in SEPARATOR.split(code) if len(part.split()) > 1)


def files_of(root):
    """What is neither built nor in a repository of its own."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not (pathlib.Path(folder) / name / ".git").exists())
        yield from (pathlib.Path(folder) / name for name in sorted(files))


def documents(root):
    return (path for path in files_of(root) if path.suffix == ".md")


def faults(root):
    for document in documents(root):
        for number, command in commands_of(document.read_text(encoding="utf-8")):
            words = PREFIX.sub("", command).split()
            if not words or not PATH.match(words[0]):
                continue
            script = next((folder / words[0] for folder in (root, document.parent) if (folder / words[0]).exists()), root / words[0])
            top = pathlib.PurePath(words[0]).parts[0]
            if top in MADE or not (root / top).exists():
                continue
            if not script.is_file():
                yield f"{document.relative_to(root)}:{number}: there is no {words[0]}"
            elif not os.access(script, os.X_OK):
                yield f"{document.relative_to(root)}:{number}: {words[0]} is not executable: git update-index --chmod=+x {words[0]}"


def scripts_that_are_not_executable(root):
    for path in files_of(root):
        if path.suffix in (".py", ".sh", "") and not os.access(path, os.X_OK) and path.open("rb").read(2) == b"#!":
            yield f"{path.relative_to(root)} begins with #! and is not executable"


def all_faults(root):
    return [*faults(root), *scripts_that_are_not_executable(root)]


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "tools").mkdir()
        for script, mode in (("runs.py", 0o755), ("is_read.py", 0o644)):
            (root / "tools" / script).write_text("#!/usr/bin/env python3\n")
            (root / "tools" / script).chmod(mode)
        assert len(list(scripts_that_are_not_executable(root))) == 1
        (root / "tools" / "made").write_text("#!/bin/sh\n")
        good = ["    tools/runs.py W", "`tools/is_read.py` is a file", "    python3 tools/is_read.py", "    A=1 tools/runs.py | tools/runs.py", "`elsewhere/is_read.py W`"]
        bad = ["    tools/is_read.py", "run `tools/is_read.py W`", "    tools/runs.py | tools/is_read.py", "```\nA=1 tools/is_read.py\n```", "    tools/missing.py W",
               "    tools/made -o out", "    ./tools/missing"]
        for lines, expected in [(good, 0)] + [([line], 1) for line in bad]:
            (root / "README.md").write_text("\n\n".join(lines))
            found = list(faults(root))
            assert len(found) == expected, (lines, found)


def check(usage, faults_of, fine):
    """The rest of a check whose self-test has passed: faults_of(ROOT) by the command line, or `fine`."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    found = list(faults_of(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or fine)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    self_test()
    check(__doc__, all_faults, "every script that a document runs can be run")
