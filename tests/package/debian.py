"""Packages of Debian, installed, used and removed in a clean chroot; one way for each release that has them."""
import functools
import os
import pathlib
import re
import shutil
import subprocess

from machine import NotHere
from packages import MAIN, shared_source_package

RELEASES = {"debian-12": "bookworm", "debian-13": "trixie"}


def own_dependencies(packages):
    """What the packages need of Debian, as names."""
    names = set()
    for path in packages:
        depends = subprocess.run(["dpkg-deb", "-f", path, "Depends"], check=True, capture_output=True, text=True).stdout
        names |= {re.split(r"[ (|]", part.strip())[0] for part in depends.split(",") if part.strip()}
    return sorted(names - {"libert0", "libert-dev", "edgeconv"})


def chroot_of(machine, root, release, *packages):
    """A clean chroot with these packages, and what runs a command in it."""
    try:
        machine.run("mmdebstrap", "--variant=apt", "--include=" + ",".join(packages), release, root)
    except subprocess.CalledProcessError as error:
        raise NotHere(f"mmdebstrap makes no {release}: {(error.stderr or '').strip().splitlines()[-1:]}") from error

    def inside(*words, **options):
        return machine.run("chroot", root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", *words, **options)

    return inside


def built_here(machine, folder, _release):
    """Packages for the release that this machine runs."""
    return [pathlib.Path(line) for line in machine.run(machine.source / "toolchains/package/debs", "-o", folder / "debs").split()]


def built_there(machine, folder, release):
    """Packages for another release, built in a chroot of it from the source package."""
    root, source = folder / "maker", shared_source_package(machine)
    script = (machine.source / "toolchains/debian_packages.sh").read_text()
    packages = re.search(r'^BUILD_PACKAGES="(.*)"', script, re.M).group(1).split()
    inside = chroot_of(machine, root, release, *packages, "dpkg-dev", "file", "python3")
    shutil.unpack_archive(source, root / "root")
    tree = source.name.removesuffix(".tar.gz")
    inside(f"/root/{tree}/toolchains/package/debs", "-o", "/root/debs")
    shutil.move(root / "root/debs", folder / "debs")
    shutil.rmtree(root)
    return sorted((folder / "debs").glob("*.deb"))


def debian_packages(release, machine, folder):
    """apt installs them in a chroot that has compilers, CMake and what they depend on, a five-line project builds, and nothing is left behind."""
    machine.need("dpkg-deb", "dpkg-shlibdeps", "cpack", "mmdebstrap")
    if os.geteuid() != 0:
        raise NotHere("a chroot needs root")
    here = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())
    paths = (built_here if here and here.group(1) == release else built_there)(machine, folder, release)
    return f"{release}: " + in_a_clean_chroot(machine, folder, release, paths)


COMPILERS = {"bullseye": ("g++-10",), "bookworm": ("g++-11", "g++-12", "clang++-14", "clang++-16"), "trixie": ("g++-13", "g++-14", "clang++-19")}


def debian_compilers(machine, folder):
    """The one file by GCC 10 to 14 and clang 14 to 19, each in a chroot of a release that has it: no warning, the same answer."""
    machine.need("mmdebstrap")
    if os.geteuid() != 0:
        raise NotHere("a chroot needs root")
    machine.run(machine.source / "toolchains/package/amalgamate", "-o", folder / "one")
    tried, missing = [], []
    for release, compilers in COMPILERS.items():
        root = folder / release
        try:
            inside = chroot_of(machine, root, release, "g++", *(name.replace("clang++", "clang") for name in compilers))
        except NotHere as reason:
            missing.append(f"{' '.join(compilers)} not run: {reason}")
            continue
        for path in (*(folder / "one").iterdir(), machine.source / MAIN, machine.blob):
            shutil.copy(path, root / "root")
        for name in compilers:
            said = inside("sh", "-c", f"cd /root && {name} -std=c++17 -O2 -Wall -Wextra -c ert.cc 2>&1")
            assert said == "", f"{name}: {said[:2000]}"
            inside("sh", "-c", f"cd /root && {name} -O2 -I. -x c++ main.c -x none ert.o -pthread -o app")
            assert inside("/root/app", f"/root/{machine.blob.name}") == machine.answer, f"{name}: another answer"
            tried.append(name)
        shutil.rmtree(root)
    if not tried:
        raise NotHere("; ".join(missing))
    return "; ".join([", ".join(tried), *missing])


DEBIAN = {name: functools.partial(debian_packages, release) for name, release in RELEASES.items()} | {"debian-compilers": debian_compilers}


def in_a_clean_chroot(machine, folder, release, paths):
    version = re.search(r'kVersion = "([0-9.]+)"', (machine.source / "convert/blob/version.h").read_text()).group(1)
    architecture = machine.run("dpkg", "--print-architecture").strip()
    assert sorted(path.name for path in paths) == sorted(f"{name}_{version}_{architecture}.deb" for name in ("libert0", "libert-dev", "edgeconv")), paths
    root = folder / "chroot"
    # Everything of Debian is in it from the start: what apt installs below are files, and what it resolves their dependencies.
    inside = chroot_of(machine, root, release, "g++", "cmake", "make", *own_dependencies(paths))
    for path in (*paths, shared_source_package(machine), machine.source / MAIN, machine.source / "tests/models/langid/langid.onnx", machine.blob):
        shutil.copy(path, root / "root")

    def files():
        return set(inside("find", "/usr", "/etc", "/opt", "/var/lib/dpkg/info", "-not", "-type", "d").splitlines())

    before = files()
    inside("apt-get", "install", "--yes", *(f"/root/{path.name}" for path in paths))
    assert inside("edgeconv", "--version").startswith(f"edgeconv {version}")
    inside("edgeconv", "/root/langid.onnx", "-o", "/root/made.ert", "--quiet")
    assert (root / "root/made.ert").read_bytes() == machine.blob.read_bytes(), "another blob than the build's own"
    inside("edgeconv", "verify", "/root/made.ert")
    inside("ert-bench", "/root/made.ert", "--shape", "batch=1,sequence=16")
    for path in ("usr/share/man/man1/edgeconv.1", "usr/share/doc/libert0/copyright", "usr/share/doc/libert-dev/copyright", "usr/share/doc/edgeconv/copyright",
                 "usr/share/bash-completion/completions/edgeconv", "usr/share/bash-completion/completions/ert-bench"):
        assert (root / path).exists(), f"no /{path}"
    assert "libert.so.0" in inside("ldconfig", "-p"), "ldconfig was not run"
    said = five_lines(machine, root, inside)
    inside("apt-get", "purge", "--yes", "edgeconv", "libert-dev", "libert0")
    left = {path for path in files() - before if "/var/lib/dpkg/info/" not in path or re.search(r"/(libert|edgeconv)", path)}
    left = {path for path in left if path not in ("/etc/ld.so.cache",)}
    assert not left, f"left behind: {sorted(left)[:5]}"
    assert "libert" not in inside("ldconfig", "-p"), "the library is still known"
    sizes = ", ".join(f"{path.name.partition('_')[0]} {path.stat().st_size // 1000} kB" for path in paths)
    shutil.rmtree(root)
    return f"{sizes}, {said}"


FIVE_LINES = ("cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES C)\nfind_package(ert CONFIG REQUIRED)\n"
              "add_executable(app main.c)\ntarget_link_libraries(app PRIVATE %s)\n")


def five_lines(machine, root, inside):
    """A project in C on libert-dev, static and shared; and the runtime from the source package, where no flatc was ever installed."""
    for target in ("ert::ert", "ert::shared"):
        project = root / "root" / target.replace("::", "-")
        project.mkdir()
        (project / "CMakeLists.txt").write_text(FIVE_LINES % target)
        shutil.copy(machine.source / MAIN, project)
        inside("cmake", "-S", f"/root/{project.name}", "-B", f"/root/{project.name}/build")
        inside("cmake", "--build", f"/root/{project.name}/build")
        assert inside(f"/root/{project.name}/build/app", f"/root/{machine.blob.name}") == machine.answer, f"{target}: another answer"
    archive = next((root / "root").glob("edgeconv-*.tar.gz")).name
    inside("tar", "-xf", f"/root/{archive}", "-C", "/root")
    inside("cmake", "-S", "/root/" + archive.removesuffix(".tar.gz"), "-B", "/root/runtime", "-DERT_DEVELOPER=OFF", "-DERT_BUILD_CONVERTER=OFF",
           "-DERT_BUILD_TOOLS=OFF")
    inside("cmake", "--build", "/root/runtime", "-j2")
    return "five lines of CMake and the source package build"
