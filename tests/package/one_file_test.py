#!/usr/bin/env python3
"""The one file of the runtime compiles without a warning: all of it, each list of levels, what one op needs. one_file_test.py SOURCE ARCHITECTURE [COMPILER...]

Names that two sources have are told apart only there, and includes of one target may reach another, so each change of rt, platform or kernels_int8 can break it.
ARCHITECTURE has the name of isa_levels.inc; without a COMPILER it is a cross compiler, which only reads it (warnings that come from optimizing are not seen:
half a minute a list), and where it is missing the case is skipped.
one_file_includes_test.py needs none. ./test.sh --package one-file runs what it makes.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CORTEX_M = "arm-none-eabi-g++ -mthumb -mfloat-abi=hard -fno-exceptions -fno-rtti "
COMPILERS = {"x86_64": ["x86_64-linux-gnu-g++"], "aarch64": ["aarch64-linux-gnu-g++"], "armv7": ["arm-linux-gnueabihf-g++"],
             "cortex-m": [CORTEX_M + "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16", CORTEX_M + "-mcpu=cortex-m55"]}


def compiles(program, compilers, folder, *options, whole=False):
    """whole: to an object that lacks no function of the runtime, for templates and constructors that only then are made."""
    subprocess.run([sys.executable, program, "-o", folder, *options], check=True)
    how = ["-O0", "-c", "-o", folder / "ert.o"] if whole else ["-O2", "-fsyntax-only"]
    for compiler in compilers:
        done = subprocess.run([*compiler, "-std=c++17", "-Wall", "-Wextra", *how, folder / "ert.cc"], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{' '.join(compiler)}, {' '.join(map(str, options))}: {done.stderr[:2000]}"
    if whole:
        lacks = subprocess.run(["nm", "-u", folder / "ert.o"], capture_output=True, text=True, check=True).stdout
        assert "_ZN3ert" not in lacks, f"{options}: lacks {lacks}"


def documented(source):
    """Lists of levels that the descriptions and the examples give to amalgamate."""
    texts = [source / "README.md", source / "RECIPES.md", *(p for top in ("toolchains", "rt", "platform") for p in (source / top).rglob("*"))]
    words = [line for p in texts if p.name in ("Makefile", "CMakeLists.txt", "firmware_tree", "run.sh") or p.suffix == ".md" for line in p.read_text().splitlines()]
    return {found for line in words if "amalgamate" in line for found in re.findall(r'--levels"?,? "?([a-z]\w*(?:,\w+)*)', line)}


def main(source, architecture, *compiler):
    source = pathlib.Path(source).resolve()
    sys.path.insert(0, str(source / "toolchains/package"))
    from one_file import levels, with_bases
    compilers = [list(compiler)] if compiler else [words.split() for words in COMPILERS[architecture]]
    if shutil.which(compilers[0][0]) is None:
        print(f"no {compilers[0][0]}\n[  SKIPPED ] OneFile.CompilesFor_{architecture} (0 ms)")
        return
    own = [name for name, _, _, builds in levels() if architecture in builds]
    given = documented(source)
    assert {"avx2,avx512vnni", "dsp"} <= given, f"the lists of levels in the descriptions are not found: {given}"
    lists = {frozenset(with_bases(words.split(","))): words for words in [*own, *given] if set(words.split(",")) <= {*own, "ref"}}
    if not compiler:  # a level that others start from is compiled with them
        lists = {levels_of: words for levels_of, words in lists.items() if not any(levels_of < more for more in lists)}
    program = source / "toolchains/package/amalgamate"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compiles(program, compilers, folder / "all")
        if compiler:
            (folder / "ops.inc").write_text("ERT_OP(9, Linear)\n")
            compiles(program, compilers, folder / "few", "--ops", folder / "ops.inc", "--levels", "ref", whole=True)
        for words in lists.values():
            compiles(program, compilers, folder / "levels", "--levels", words, whole=bool(compiler) and words in given - {"ref"})
    print(f"all, and {'; '.join(sorted(lists.values()))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
