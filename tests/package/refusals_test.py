#!/usr/bin/env python3
"""What toolchains/package/amalgamate, source_package.py and debs refuse leaves no folder behind. refusals_test.py SOURCE

A folder that stays empty says that something was made, and firmware_tree refuses one that it did not make. source_package.py is tried on a copy of itself, in a
checkout of git with a changed file and in none.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def refused(folder, expected, *words):
    """The command ends with an error that says `expected`, and leaves neither OUT nor the folder above."""
    out = folder / "above/out"
    done = subprocess.run([sys.executable, *map(str, words), "-o", str(out)], capture_output=True, text=True)
    assert done.returncode in (1, 2), f"{words}: exit {done.returncode}"
    assert expected in done.stderr and "Traceback" not in done.stderr, f"{words}: {done.stderr}"
    assert not out.parent.exists(), f"{words}: refused, and left {out.parent}"


def amalgamate(source, folder):
    program = source / "toolchains/package/amalgamate"
    (folder / "no_rows.inc").write_text("nothing\n")
    (folder / "unknown.inc").write_text("ERT_OP(9999, Future)\n")
    (folder / "binary.inc").write_bytes(b"\xff\xfe\x00")
    refused(folder, "there is no file", program, "--ops", folder / "absent.inc")
    refused(folder, "no row ERT_OP", program, "--ops", folder / "no_rows.inc")
    refused(folder, "no row ERT_OP", program, "--ops", folder / "binary.inc")
    refused(folder, "no op Future with code 9999", program, "--ops", folder / "unknown.inc")
    refused(folder, "no level 'avx3'", program, "--levels", "avx3")


def source_package(source, folder):
    copy = folder / "copy"
    shutil.copytree(source / "toolchains/package", copy / "toolchains/package")
    program = copy / "toolchains/package/source_package.py"
    refused(folder, "no checkout of git", program)
    git = ["git", "-C", str(copy), "-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *words], check=True)
    with open(program, "a") as changed:
        changed.write("# changed\n")
    refused(folder, "1 files are changed and not committed", program)
    os.environ["SOURCE_DATE_EPOCH"] = "yesterday"
    refused(folder, "not a number of seconds", program, "--uncommitted")


def debs(source, folder):
    """All programs that are missing are named before anything is built."""
    copy = folder / "copy/toolchains/package"
    copy.mkdir(parents=True)
    shutil.copy(source / "toolchains/package/debs", copy)
    programs = folder / "bin"
    programs.mkdir()
    for name in ("bash", "dirname", "mkdir"):
        (programs / name).symlink_to(shutil.which(name))
    for name in ("cmake", "cpack", "dpkg-deb"):
        (programs / name).symlink_to(shutil.which("true"))
    done = subprocess.run([copy / "debs", "-o", folder / "out"], env={"PATH": str(programs)}, capture_output=True, text=True)
    assert done.returncode == 1 and "missing: dpkg-shlibdeps file (Debian: apt install cmake dpkg-dev file)" in done.stderr, done
    assert not (folder / "out").exists()


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    for check in (amalgamate, source_package, debs):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["GIT_CEILING_DIRECTORIES"] = folder
            check(source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
