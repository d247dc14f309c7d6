"""The programs that are copied to a Linux board, ert-bench and ert-selftest: they are static, need no file of the emulated system, and
give the host's results."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "checks"))
from json_schema import errors  # noqa: E402

SHAPE = "batch=2,sequence=24"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def faults_of_link(program):
    """A board may lack any library and loader."""
    found = []
    if "INTERP" in run("readelf", "-lW", program).stdout:
        found.append(f"{program} wants a loader")
    if "NEEDED" in run("readelf", "-dW", program).stdout:
        found.append(f"{program} wants libraries")
    return found


def bench(command, blob, *options):
    result = run(*command, blob, "--shape", SHAPE, "--warmup", 0, "--runs", 1, "--json", *options)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


def check(root, build, emulator, blobs, extremes, wrong):
    """Faults of one target's programs under one emulator. `extremes` and `wrong`: blobs of write_extremes, the second with one wrong bit."""
    own, selftest = build / "bench/ert-bench", build / "bench/ert-selftest"
    found = faults_of_link(own) + faults_of_link(selftest)
    program, *cpu = emulator.split()
    with tempfile.TemporaryDirectory() as empty:
        # Nothing of this machine's libraries of the target is in reach.
        on_board = [program, "-L", empty, *cpu]
        replayed = run(*on_board, selftest, *blobs, extremes, env={"PATH": os.environ["PATH"]})
        lines = replayed.stdout.splitlines()
        if replayed.returncode != 0 or not lines or not all(line.endswith(": the same bits") for line in lines):
            found.append(f"ert-selftest: exit {replayed.returncode}\n{replayed.stdout}{replayed.stderr}")
        if run(*on_board, selftest, wrong).returncode != 7:
            found.append("ert-selftest passes a golden vector with one wrong bit")
        host, device = bench([root / "build/release/bench/ert-bench"], blobs[0]), bench([*on_board, own], blobs[0])
        if not isinstance(device, dict):
            return found + [f"ert-bench: {device}"]
        found += errors(device, json.loads((root / "bench/ert_bench.schema.json").read_text()))
        if device["results"][0]["output_crc"] != host["results"][0]["output_crc"]:
            found.append("ert-bench computes other outputs than on the host")
        levels = re.findall(r": (\w+): ", replayed.stdout)
        if sorted(set(levels)) != sorted(device["isa_available"]):
            found.append(f"ert-selftest ran {levels}, the machine has {device['isa_available']}")
    return found
