#!/usr/bin/env python3
"""document_commands.py ROOT: a script that a document runs by its path can be run. Exit 1 lists each command of a *.md whose first word is a script of the repository
that is not executable, or not there. On every start it must find planted faults.

Commands are lines of indented or fenced blocks, and `code` in text that has arguments; what stands behind |, && or ; is one more, and VARIABLE=value before it
is passed over. `python3 script.py` needs no permission."""
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
SCRIPT = re.compile(r"^(\./)?(?!/)[\w./-]*\w\.(py|sh)$")


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


def documents(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not (pathlib.Path(folder) / name / ".git").exists())
        yield from (pathlib.Path(folder) / name for name in sorted(files) if name.endswith(".md"))


def faults(root):
    for document in documents(root):
        for number, command in commands_of(document.read_text(encoding="utf-8")):
            words = PREFIX.sub("", command).split()
            if not words or not SCRIPT.match(words[0]):
                continue
            script = root / words[0]
            if "/" not in words[0] or not (root / words[0].split("/")[0]).exists():
                continue  # a path in another folder than the root, where commands are typed
            if not script.is_file():
                yield f"{document.relative_to(root)}:{number}: there is no {words[0]}"
            elif not os.access(script, os.X_OK):
                yield f"{document.relative_to(root)}:{number}: {words[0]} is not executable: git update-index --chmod=+x {words[0]}"


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "tools").mkdir()
        for script, mode in (("runs.py", 0o755), ("is_read.py", 0o644)):
            (root / "tools" / script).write_text("#!/usr/bin/env python3\n")
            (root / "tools" / script).chmod(mode)
        good = ["    tools/runs.py W", "`tools/is_read.py` is a file", "    python3 tools/is_read.py", "    A=1 tools/runs.py | tools/runs.py", "`elsewhere/is_read.py W`"]
        bad = ["    tools/is_read.py", "run `tools/is_read.py W`", "    tools/runs.py | tools/is_read.py", "```\nA=1 tools/is_read.py\n```", "    tools/missing.py W"]
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
    check(__doc__, faults, "every script that a document runs can be run")
