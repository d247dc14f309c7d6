"""Time and memory until the first output, edgeconv and peers, with the files in the page cache.

edgeconv: bench/start/first_output, from before the process is started; its memory is that of the whole process. Peers: from
before their package is imported in a running Python, and what the process grew by, so Python itself is not counted.
"""
import json
import os
import statistics
import subprocess
import sys
import time

import ours
from peers import python_of

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPE, RUNS = "1x128", 11


def our_run(blob):
    """(milliseconds, the program's JSON) of one process, or raises ours.Failed."""
    batch, sequence = SHAPE.split("x")
    before = time.monotonic_ns()
    done = subprocess.run([ours.first_output(), blob, f"batch={batch}", f"sequence={sequence}"], capture_output=True, text=True,
                          check=False)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        raise ours.Failed.of(done) from None
    return (result["done_ns"] - before) / 1e6, result


def our_start(blob):
    runs = [our_run(blob) for _ in range(RUNS + 1)][1:]  # the first one fills the page cache
    memory = runs[-1][1]
    other = memory["resident_bytes"] - memory["resident_blob_bytes"] - memory["resident_arena_bytes"]
    return {"first_output_ms": statistics.median(ms for ms, _ in runs), "least_ms": min(ms for ms, _ in runs),
            "resident_bytes": memory["resident_bytes"], "resident_blob_bytes": memory["resident_blob_bytes"],
            "resident_arena_bytes": memory["resident_arena_bytes"], "other_bytes": other}


def peer_start(work, model, name):
    runs = []
    for _ in range(4):
        done = subprocess.run([python_of(work, name), "-W", "ignore", os.path.join(HERE, "peer_worker.py"), "start", work,
                               model.name, name, SHAPE], capture_output=True, text=True, check=False)
        try:
            runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
        except (ValueError, IndexError):
            raise ours.Failed.of(done) from None
    times = [run["first_output_ms"] for run in runs[1:]]
    return {"first_output_ms": statistics.median(times), "least_ms": min(times), "resident_bytes": runs[-1]["added_bytes"]}


def measure(work, model, names, blob):
    """{"results": {name: figures}, "failed": {name: reason}}"""
    results, failed = {}, {}
    for name in (["edgeconv"] if blob else []) + names:
        try:
            results[name] = our_start(blob) if name == "edgeconv" else peer_start(work, model, name)
        except ours.Failed as error:
            failed[name] = str(error)
        print(f"start: {model.name} {name}", file=sys.stderr, flush=True)
    return {"results": results, "failed": failed}
