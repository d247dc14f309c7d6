"""The source package: the same bytes twice, complete, and built without flatc."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tarfile

from machine import NotHere

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "toolchains/package"))
from third_party import TABLE  # noqa: E402

MAIN = "rt/example/minimal/main.c"


def made_source_package(machine, folder):
    machine.need("git", "flatc")
    if subprocess.run(["git", "-C", machine.source, "rev-parse"], capture_output=True).returncode != 0:
        raise NotHere("no checkout of git")
    machine.run(machine.source / "toolchains/package/source_package.py", "-o", folder, "--uncommitted")
    return next(folder.glob("edgeconv-*.tar.gz"))


def shared_source_package(machine):
    """The one that all ways take which only need it."""
    folder = machine.root / "source-package"
    return next(folder.glob("edgeconv-*.tar.gz"), None) or made_source_package(machine, folder)


def without(folder, *programs):
    """The environment with a PATH on which everything is but these programs, and without a compiler cache."""
    path = folder / "bin"
    path.mkdir()
    for place in map(pathlib.Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if program.name not in programs and not (path / program.name).is_symlink():
                (path / program.name).symlink_to(program)
    return {"PATH": str(path), "CMAKE_C_COMPILER_LAUNCHER": "", "CMAKE_CXX_COMPILER_LAUNCHER": ""}


def source_package(machine, folder):
    """The same bytes twice; complete; builds the runtime and the one file without flatc, within 30 CPU seconds, of which a busy machine counts a third more; SBOM and notices name what is in it."""
    first = made_source_package(machine, folder / "first")
    os.utime(machine.source / "LICENSE")  # times of files are nothing that the package knows
    second = made_source_package(machine, folder / "second")
    assert first.read_bytes() == second.read_bytes(), "made twice, two packages"
    with tarfile.open(first) as tar:
        assert {(member.uid, member.gid, member.uname) for member in tar} == {(0, 0, "")}, "somebody's files"
        tar.extractall(folder)
    tree = folder / first.name.removesuffix(".tar.gz")
    tracked = machine.run("git", "-C", machine.source, "ls-files", "-z").split("\0")
    missing = [path for path in tracked if path and not (tree / path).exists()]
    assert not missing, f"not in the package: {missing[:5]}"
    notices = (tree / "THIRD_PARTY_NOTICES.txt").read_text()
    bill = (tree / f"{tree.name}.spdx.json").read_text()
    for name, licence, *_ in TABLE:
        assert name in notices and f'"name": "{name}"' in bill and f'"licenseDeclared": "{licence}"' in bill, name
    assert (tree / "rt/schema/generated/flatbuffers/LICENSE").read_text() == (machine.source / "LICENSE").read_text()
    env = without(folder, "flatc", "ccache", "git")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    machine.run("cmake", "-S", tree, "-B", folder / "build", "-DERT_DEVELOPER=OFF", "-DERT_BUILD_CONVERTER=OFF", "-DERT_BUILD_TOOLS=OFF",
                f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}", env=env)
    machine.run("cmake", "--build", folder / "build", env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    machine.run("cmake", "--install", folder / "build", env=env)
    machine.run("cc", machine.source / MAIN, f"-I{folder}/prefix/include", next((folder / "prefix").rglob("libert.a")), "-lm", "-pthread", "-o", folder / "app")
    assert machine.run(folder / "app", machine.blob) == machine.answer, "another answer"
    machine.run(tree / "toolchains/package/amalgamate", "-o", folder / "one", env=env)
    machine.run("g++", "-fsyntax-only", folder / "one/ert.cc")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds <= 40, f"the runtime took {seconds:.0f} CPU seconds"
    return f"{first.stat().st_size / 1e6:.1f} MB, runtime in {seconds:.0f} CPU seconds"
