"""edgeconv and its peers as on smaller x86 CPUs, level by level, side by side in one run.

A peer chooses its kernels by cpuid. In a copy of its package every cpuid instruction becomes ud2, as long, and a preloaded library answers it with
features hidden (answer_cpuid.c). ONNX Runtime and LiteRT can be measured so; OpenVINO makes code at run time, cpuid with it.
"""
import os
import re
import shutil
import subprocess

import speed
from contestants import Edgeconv, Peer
from peers import PEERS, python_of

HERE = os.path.dirname(os.path.abspath(__file__))
# The package's folder of each peer that chooses by cpuid alone.
PACKAGES = {"ort_dyn": "onnxruntime", "ort_dyn_pc": "onnxruntime", "litert_int8": "ai_edge_litert"}
CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def file_offsets(library):
    """[(address, size, offset in the file)] of what is loaded."""
    lines = re.findall(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ (0x\w+)", output_of("readelf", "-lW", library))
    return [(int(address, 16), int(size, 16), int(offset, 16)) for offset, address, size in lines]


def without_cpuid(library):
    """Replaces each cpuid of a shared library in place; returns how many."""
    disassembly = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True)
    addresses = [int(line.split(":")[0], 16) for line in disassembly.stdout if re.search(r"\tcpuid\b", line)]
    if disassembly.wait() != 0:
        raise RuntimeError(f"objdump failed on {library}")
    if not addresses:
        return 0
    segments = file_offsets(library)
    with open(library, "r+b") as file:
        for address in addresses:
            start, _, offset = next(s for s in segments if s[0] <= address < s[0] + s[1])
            file.seek(address - start + offset)
            if file.read(2) != CPUID:
                raise RuntimeError(f"{library}: no cpuid at {address:#x}")
            file.seek(-2, os.SEEK_CUR)
            file.write(UD2)
    return len(addresses)


def masked_package(work, name, python):
    """The folder that has a copy of a peer's package without cpuid, from the environment of that interpreter; made once."""
    folder = os.path.join(work, "masked", PACKAGES[name])
    if not os.path.isdir(folder):
        where = f"import importlib.util; print(importlib.util.find_spec('{PACKAGES[name]}').submodule_search_locations[0])"
        temporary = folder + ".part"
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.copytree(output_of(python, "-c", where).strip(), os.path.join(temporary, PACKAGES[name]), symlinks=True)
        libraries = [os.path.join(top, file) for top, _, files in os.walk(temporary) for file in files if ".so" in file]
        if sum(without_cpuid(library) for library in libraries if not os.path.islink(library)) == 0:
            raise RuntimeError(f"{PACKAGES[name]} has no cpuid to replace")
        os.rename(temporary, folder)
    return folder


def environment(work, name, level, python):
    """Variables under which a peer of that interpreter runs as on a CPU of the level."""
    shim = os.path.join(work, "masked", "answer_cpuid.so")
    folder = masked_package(work, name, python)
    if not os.path.exists(shim):
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "answer_cpuid.c"), "-o", shim], check=True)
    return {"PYTHONPATH": folder, "LD_PRELOAD": shim, "ERT_PEER_LEVEL": level}


def measure(options, model, present, blob, shapes):
    """{level: what speed.measure gives}: edgeconv held to the level, each peer as on such a CPU."""
    names = [name for name in present if name in PACKAGES]
    found = {}
    for level in options.levels:
        held = {name: environment(options.work, name, level, python_of(options.work, name)) for name in names}
        entries = [speed.Entry(speed.BASE, lambda threads, level=level: Edgeconv(blob, threads, level))]
        entries += [speed.Entry(name, lambda threads, name=name, held=held: Peer(options.work, model, name, threads, held[name])) for name in names]
        found[level] = speed.measure(entries, shapes, options)
    return found


def rows(found, shapes, only=None):
    """(level, threads, title of the closest peer, the least ratio at each shape) of all int8 peers, or of one"""
    for level, result in found.items():
        for threads, all_ratios in result["ratios"].items():
            ratios = {name: row for name, row in all_ratios.items() if only in (None, name)}
            least = {shape: speed.fastest_int8(ratios, shape) for shape in shapes}
            if ratios and all(least.values()):
                closest = min(least.values(), key=lambda peer_and_ratio: peer_and_ratio[1])[0]
                yield level, threads, PEERS[closest].title, [least[shape][1] for shape in shapes]
