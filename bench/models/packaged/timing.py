"""Time of one call at one thread: the blob by ert-bench and ONNX Runtime in turns on one core, so that both see the same state of the machine."""
import contextlib
import json
import os
import re
import statistics
import subprocess
import time

TURNS = 5
SECONDS = 0.2
LEAST, MOST = 3, 3000


def dims_of(description, feed):
    """{dim: size} of a feed by the blob's own declarations; None where an axis is not a plain name."""
    sizes = {}
    for row in description["inputs"]:
        axes = [axis.strip() for axis in row["shape"].strip("[]").split(",")] if row["shape"].strip("[]") else []
        shape = feed[row["name"]].shape
        if len(axes) != len(shape):
            return None
        for axis, size in zip(axes, shape):
            if axis.isdigit():
                continue
            if sizes.setdefault(axis, size) != size:
                return None
    return sizes if set(sizes) >= {dim["name"] for dim in description["dims"]} and all(re.search(r"[+*/()]", d) is None for d in sizes) else None


def onnxruntime_seconds(session, feed):
    taken, start = [], time.perf_counter()
    while len(taken) < LEAST or (len(taken) < MOST and time.perf_counter() - start < SECONDS):
        before = time.perf_counter()
        session.run(None, feed)
        taken.append(time.perf_counter() - before)
    return statistics.median(taken)


def blob_seconds(ert_bench, blob, dims, runs):
    command = [ert_bench, blob, "--threads", "1", "--warmup", "2", "--runs", str(runs), "--json"]
    if dims:
        command += ["--shape", ",".join(f"{name}={size}" for name, size in dims.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["results"][0]["p50_us"] / 1e6


@contextlib.contextmanager
def on_one_core():
    """This process and those that it starts. Two cores of a virtual machine differ by a half where somebody else computes on the other thread of one."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def speed(ert_bench, blob_path, description, session, feed):
    """{"onnxruntime_us", "blob_us", "ratio"}: the best turn of each; {} where the sizes of a call cannot be told."""
    dims = dims_of(description, feed)
    if dims is None:
        return {}
    with on_one_core():
        return in_turns(ert_bench, blob_path, dims, session, feed)


def in_turns(ert_bench, blob_path, dims, session, feed):
    ours, theirs, runs = [], [], LEAST
    for turn in range(TURNS + 1):
        other, own = onnxruntime_seconds(session, feed), blob_seconds(ert_bench, blob_path, dims, runs)
        if own is None:
            return {}
        runs = int(min(MOST, max(LEAST, SECONDS / own)))
        # The first turn finds out how many runs fill the time.
        if turn:
            theirs.append(other)
            ours.append(own)
    return {"onnxruntime_us": min(theirs) * 1e6, "blob_us": min(ours) * 1e6, "ratio": min(theirs) / min(ours)}
