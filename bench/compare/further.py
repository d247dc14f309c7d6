"""How close the outputs of the models with random weights are to those of the same weights in fp32."""
import os
import subprocess
import sys

import numpy as np

import ours
from peers import python_of

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = "ort_fp32"
SHAPE, LENGTH, SAMPLES = "1x64", 64, 40


def sample_feeds(model):
    """Samples of one shape of every grid, so that peers of fixed shapes run them unpadded."""
    return [model.full_feed(1, LENGTH, seed=100 + index) for index in range(SAMPLES)]


def peer_outputs(work, model, name):
    """[samples, elements] of a peer, or raises ours.Failed."""
    target = os.path.join(model.folder(work), f"outputs_{name}.npz")
    if os.path.exists(target):
        # Of an earlier run: a failing worker must not pass with old results.
        os.remove(target)
    done = subprocess.run([python_of(work, name), "-W", "ignore", os.path.join(HERE, "peer_worker.py"), "outputs", work,
                           model.name, name, target], capture_output=True, text=True, check=False)
    if not os.path.exists(target):
        raise ours.Failed.of(done)
    return np.load(target)["y"].reshape(SAMPLES, -1)


def our_outputs(model, blob):
    with ours.Runner(blob) as runner:
        return np.stack([runner.run(feed, model.output) for feed in sample_feeds(model)]).reshape(SAMPLES, -1)


def score(outputs, reference):
    """Cosine per sample over its whole output, and the error's length relative to the reference's."""
    a, b = outputs.astype(np.float64), reference.astype(np.float64)
    cosine = (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    error = np.linalg.norm(a - b, axis=1) / np.linalg.norm(b, axis=1)
    return {"cosine_mean": float(cosine.mean()), "cosine_min": float(cosine.min()), "error_mean": float(error.mean())}


def measure(work, model, names, blob):
    """{"results": {name: scores}, "failed": {name: reason}}; edgeconv's row only when there is a blob."""
    results, failed = {}, {}
    try:
        reference = peer_outputs(work, model, REFERENCE)
    except (ours.Failed, OSError) as error:
        return {"results": {}, "failed": {REFERENCE: f"no accuracy without this reference: {error}"}}
    for name in (["edgeconv"] if blob else []) + names:
        try:
            found = our_outputs(model, blob) if name == "edgeconv" else peer_outputs(work, model, name)
            results[name] = score(found, reference)
        except (ours.Failed, ValueError) as error:
            failed[name] = str(error)
        print(f"accuracy: {model.name} {name}", file=sys.stderr, flush=True)
    return {"results": results, "failed": failed}
