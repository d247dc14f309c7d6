#!/usr/bin/env python3
"""A file has one subject and at most 300 lines. A longer one says why in its first comment ("More than 300 lines, because ...").

usage: length_check.py ROOT     on every start it must find two planted faults"""
import pathlib
import sys
import tempfile

MOST = 300
FOLDERS = ("bench", "convert", "kernels_int8", "platform", "rt", "tests", "toolchains")
SUFFIXES = {".c", ".cc", ".h", ".inc", ".py", ".sh", ".S"}


def first_comment(lines: list[str]) -> str:
    """The lines up to the first one of code."""
    code = next((i for i, line in enumerate(lines) if line.startswith(("#include", "#pragma", "#ifndef", "import ", "from "))), len(lines))
    return " ".join(lines[:code])


def violations(root: pathlib.Path):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            lines = path.read_text(errors="replace").splitlines()
            if len(lines) > MOST and "ore than 300 lines" not in first_comment(lines):
                yield f"{path.relative_to(root)}: {len(lines)} lines; cut it by subjects, or say in its first comment why it has more than {MOST}"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "rt").mkdir()
        (root / "rt" / "long.cc").write_text("// A subject.\n#include <x.h>\n// More than 300 lines\n" + "int x;\n" * MOST)
        (root / "rt" / "longer.py").write_text("x = 1\n" * (MOST + 1))
        (root / "rt" / "told.cc").write_text("// More than 300 lines, because.\n#include <x.h>\n" + "int x;\n" * MOST)
        (root / "rt" / "short.cc").write_text("int x;\n" * MOST)
        found = list(violations(root))
    assert [line.split(":")[0] for line in found] == ["rt/long.cc", "rt/longer.py"], found


if __name__ == "__main__":
    self_test()
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "no file is too long without a reason")
    sys.exit(1 if found else 0)
