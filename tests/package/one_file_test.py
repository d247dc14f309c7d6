#!/usr/bin/env python3
"""The one file of the runtime compiles without a warning, all of it and what one op needs. one_file_test.py SOURCE COMPILER...

Names that two sources have are told apart only there, so each change of rt or kernels_int8 can break it. ./test.sh --package one-file runs what it makes.
"""
import pathlib
import subprocess
import sys
import tempfile


def compiles(program, compiler, folder, *options):
    subprocess.run([sys.executable, program, "-o", folder, *options], check=True)
    done = subprocess.run([*compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-fsyntax-only", folder / "ert.cc"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"{options}: {done.stderr[:2000]}"


def main(source, *compiler):
    program = pathlib.Path(source) / "toolchains/package/amalgamate"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compiles(program, compiler, folder / "all")
        (folder / "ops.inc").write_text("ERT_OP(9, Linear)\n")
        compiles(program, compiler, folder / "few", "--ops", folder / "ops.inc", "--levels", "ref")


if __name__ == "__main__":
    main(*sys.argv[1:])
