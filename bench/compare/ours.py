"""Calls to this project's programs, edgeconv, ert-bench and first_output, as a user would call them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "release")
NOT_BUILT = "edgeconv: not built, run cmake --build"
sys.path.insert(0, os.path.join(ROOT, "tests", "checks"))
import isa_levels

ISAS = ("ref", *isa_levels.of_architecture(ROOT, "x86_64"))
CPU_LACKS_ISA = 4
# The scalar reference needs a second or so per text; a hang must still end.
TIMEOUT = 900


class Failed(Exception):
    """A program ended with an error; the text is its last message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

    @classmethod
    def of(cls, done):
        """From a finished process that printed no result."""
        lines = (done.stderr + done.stdout).strip().splitlines() or ["no output"]
        return cls(done.returncode, f"exit {done.returncode}: {lines[-1][:200]}")


def edgeconv():
    return os.environ.get("EDGECONV") or os.path.join(BUILD, "convert", "edgeconv")


def ert_bench():
    return os.environ.get("ERT_BENCH") or os.path.join(BUILD, "bench", "ert-bench")


def first_output():
    return os.environ.get("FIRST_OUTPUT") or os.path.join(BUILD, "bench", "first_output")


def core_probe():
    return os.environ.get("CORE_PROBE") or os.path.join(BUILD, "bench", "kernels", "core_probe")


def missing_programs():
    return [path for path in (edgeconv(), ert_bench(), first_output()) if not os.access(path, os.X_OK)]


def probe_cores(cpus):
    """{core: GMAC/s that its widest int8 instruction reaches now}; 0 where the CPU has none that the probe knows."""
    lines = call([core_probe(), *map(str, sorted(cpus))]).splitlines()
    return {int(cpu): float(rate) for cpu, rate in map(str.split, lines)}


def call(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, **options)
    except subprocess.TimeoutExpired:
        raise Failed(None, f"no result after {TIMEOUT} s") from None
    except OSError as error:
        raise Failed(None, str(error)) from None
    if done.returncode != 0:
        raise Failed.of(done)
    return done.stdout


def version():
    try:
        return call([edgeconv(), "--version"]).strip().splitlines()[0]
    except (Failed, IndexError):
        return "unknown"


def convert(model, blob, options=()):
    """Without options, default precision and no calibration data: what a first call of the converter gives. Returns seconds."""
    start = time.monotonic()
    call([edgeconv(), model, "-o", blob, "-q", "--progress", "off", *options])
    return time.monotonic() - start


def bench_command(blob, shape, threads, warmups, runs, isa=None):
    batch, sequence = shape.split("x")
    command = [ert_bench(), blob, "--shape", f"batch={batch},sequence={sequence}", "--threads", str(threads),
               "--warmup", str(warmups), "--runs", str(runs), "--json"]
    return command + (["--isa", isa] if isa else [])


def bench_results(text):
    """The times that ert-bench printed, in the form of a peer's, and the ISA that ran."""
    result = json.loads(text)["results"][0]
    return {"median_us": result["p50_us"], "least_us": result["min_us"]}, result["isa"]


class Runner:
    """Runs inputs through `edgeconv run`; inputs and outputs go through files in a temporary folder."""

    def __init__(self, blob):
        self.blob = blob
        self.folder = tempfile.mkdtemp(prefix="edgeconv-compare-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, feed, output, threads=1, isa=None):
        """One output, float [batch, ...], of {input: array [batch, ...]}."""
        command = [edgeconv(), "run", self.blob]
        for name, array in feed.items():
            path = os.path.join(self.folder, name + ".npy")
            np.save(path, array)
            command += ["--input", f"{name}={path}"]
        # A stale file of the call before must never be taken for a result.
        result = os.path.join(self.folder, "out", output + ".npy")
        if os.path.exists(result):
            os.remove(result)
        os.makedirs(os.path.dirname(result), exist_ok=True)
        command += ["--out", os.path.dirname(result), "--threads", str(threads)]
        call(command + (["--isa", isa] if isa else []))
        if not os.path.exists(result):
            raise Failed(None, f"edgeconv run wrote no {output}.npy")
        array = np.load(result)
        batch = len(next(iter(feed.values())))
        if array.dtype != np.float32 or len(array) != batch:
            raise Failed(None, f"edgeconv run wrote {array.dtype} {array.shape} for a batch of {batch}")
        return array
