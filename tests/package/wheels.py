"""Wheels for other interpreters and other CPUs, made by toolchains/package/wheel and used as who installs them does."""
import glob
import os
import shutil
import subprocess
import zipfile

from machine import NotHere
from ways import TEN_LINES

RUNS = """import sys
import edgeconv as ert
print(ert.Model(sys.argv[1]).answer("Guten Morgen, wie geht es Ihnen?", top=1)["labels"][0])
try:
    ert.convert("model.onnx")
except ert.Error as e:
    print(e)
"""


def fresh_environment(machine, python, folder, *packages):
    if subprocess.run([python, "-m", "venv", folder], capture_output=True).returncode != 0:
        raise NotHere(f"{python} has no venv")
    if subprocess.run([folder / "bin/pip", "download", "-q", "--no-deps", "-d", folder, "nanobind"], capture_output=True).returncode != 0:
        raise NotHere("pip finds no package index")
    if packages:
        machine.run(folder / "bin/pip", "install", "-q", *packages)
    return folder / "bin/python"


def newer_pythons():
    """Interpreters from 3.12 on, on the path or where pyenv puts them."""
    found = [shutil.which(f"python3.{minor}") for minor in range(12, 20)]
    found += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[2-9]*/bin/python3")))
    return [python for python in found if python and subprocess.run([python, "-c", "import venv, sys; sys.exit(sys.version_info < (3, 12))"], capture_output=True).returncode == 0]


def text_blob(machine, folder):
    """The language model with its tokenizer."""
    langid = machine.source / "tests/models/langid"
    machine.run(machine.edgeconv, langid / "langid.onnx", "--tokenizer", langid, "-o", folder / "langid.ert", "--quiet")
    return folder / "langid.ert"


def wheel_abi3(machine, folder):
    """A wheel made with Python 3.12 or later serves all later ones: cp312-abi3, and installed into each of them that is here."""
    pythons = newer_pythons()
    if not pythons:
        raise NotHere("no Python 3.12 or later")
    maker = fresh_environment(machine, pythons[0], folder / "maker", "wheel")
    machine.run(maker, machine.source / "toolchains/package/wheel", "-o", folder / "out")
    wheel = next((folder / "out").glob("*.whl"))
    assert "-cp312-abi3-manylinux_2_" in wheel.name, wheel.name
    versions = []
    for i, python in enumerate(pythons):
        user = fresh_environment(machine, python, folder / f"user{i}", wheel)
        (folder / "ten.py").write_text(TEN_LINES)
        said = machine.run(user, "ten.py", machine.source / "tests/models/langid", cwd=folder)
        assert said == "de German\n", said
        versions.append(machine.run(user, "-c", "import platform; print(platform.python_version())").strip())
    return f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, in {', '.join(dict.fromkeys(versions))}"


def arm_python(machine, folder):
    """Debian's Python for 64-bit ARM, unpacked: (interpreter under emulation, its root)."""
    release = next((line.split("=")[1].strip() for line in open("/etc/os-release") if line.startswith("VERSION_CODENAME=")), "")
    if release != "bookworm":
        raise NotHere("Debian 12's packages of Python 3.11 for arm64 are what this way knows")
    debs = folder / "debs"
    for part in ("lists/partial", "cache/archives/partial"):
        (debs / part).mkdir(parents=True)
    apt = ["apt-get", "-o", f"Dir::State::Lists={debs}/lists", "-o", f"Dir::Cache={debs}/cache", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64", "-o",
           "APT::Sandbox::User=root"]
    if subprocess.run([*apt, "update"], capture_output=True).returncode != 0:
        raise NotHere("apt finds no packages of arm64")
    packages = ["python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "libexpat1", "zlib1g", "libssl3", "libffi8", "libgcc-s1", "libstdc++6"]
    machine.run(*apt, "download", *packages, cwd=debs)
    root = folder / "root"
    for deb in debs.glob("*.deb"):
        machine.run("dpkg", "-x", deb, root)
    return ["qemu-aarch64", "-cpu", "max", "-L", root, root / "usr/bin/python3.11"]


def wheel_aarch64(machine, folder):
    """The wheel for 64-bit ARM, cross-built, runs a text's blob under emulation, and says that it does not convert."""
    machine.need("aarch64-linux-gnu-g++", "qemu-aarch64", "dpkg", "apt-get", "python3.11")
    interpreter = arm_python(machine, folder)
    maker = fresh_environment(machine, "python3.11", folder / "maker", "wheel")
    machine.run(maker, machine.source / "toolchains/package/wheel", "-o", folder / "out", "--aarch64")
    wheel = next((folder / "out").glob("*.whl"))
    assert "-cp311-cp311-manylinux_2_" in wheel.name and wheel.name.endswith("_aarch64.whl"), wheel.name
    machine.run(maker.parent / "pip", "download", "-q", "numpy==1.26.4", "--platform", "manylinux2014_aarch64", "--only-binary=:all:", "--python-version", "3.11", "--no-deps", "-d", folder)
    assert any(name.endswith("licenses/THIRD_PARTY_LICENSES.txt") for name in zipfile.ZipFile(wheel).namelist())
    for path in (wheel, next(folder.glob("numpy*.whl"))):
        zipfile.ZipFile(path).extractall(folder / "site")
    (folder / "runs.py").write_text(RUNS)
    said = machine.run(*interpreter, folder / "runs.py", text_blob(machine, folder), env={"PYTHONPATH": str(folder / "site")})
    assert said.startswith("{'label': 'de German'") and "run blobs only" in said.splitlines()[1], said
    return f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, Debian's Python 3.11 under emulation"


CONSUMERS = {"wheel-abi3": wheel_abi3, "wheel-aarch64": wheel_aarch64}
