"""How close each one's sentence embeddings are to those of the fp32 model, on the scored texts."""
import os
import subprocess
import sys

import numpy as np

import ours
from models import MODELS
from peers import python_of
from scoring import mean_pool, score, scored_texts

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCE = "ort_fp32"
LARGEST_BATCH = 8


def peer_embeddings(work, name):
    """The arrays that peer_worker.py embed writes, or raises ours.Failed."""
    target = os.path.join(work, "texts", f"embeddings_{name}.npz")
    if os.path.exists(target):
        # Of an earlier run: a failing worker must not pass with old results.
        os.remove(target)
    done = subprocess.run([python_of(work, name), "-W", "ignore", os.path.join(HERE, "peer_worker.py"), "embed", work, name,
                           target], capture_output=True, text=True, check=False)
    if not os.path.exists(target):
        raise ours.Failed.of(done)
    return dict(np.load(target))


def equal_length_batches(lengths):
    """Rows of equal token count, at most LARGEST_BATCH together: fewer processes, and no padding involved."""
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        yield from np.split(rows, range(LARGEST_BATCH, len(rows), LARGEST_BATCH))


def our_embeddings(work, blob):
    model, texts = MODELS["minilm"], scored_texts(work)
    embeddings = [None] * len(texts)
    with ours.Runner(blob) as runner:
        for rows in equal_length_batches(np.array([len(text) for text in texts])):
            feed = model.feed([texts[row] for row in rows], len(texts[rows[0]]))
            for row, pooled in zip(rows, mean_pool(runner.run(feed, model.output), feed["attention_mask"])):
                embeddings[row] = pooled
    return np.stack(embeddings)


def same_in_a_batch(arrays):
    """How many texts keep every bit of their embedding in a batch of 8 padded to its longest row."""
    compared = arrays["compared"]
    same = (arrays["alone"] == arrays["batched"]).all(1) & compared
    return {"same": int(same.sum()), "of": int(compared.sum())}


def measure(work, names, blobs):
    """{"results": {name: scores}, "failed": {name: reason}} of peers and of our blobs, {name: file}."""
    results, failed = {}, {}
    try:
        reference = peer_embeddings(work, REFERENCE)
    except (ours.Failed, OSError) as error:
        return {"results": {}, "failed": {REFERENCE: f"no accuracy without this reference: {error}"}}
    for name, blob in blobs.items():
        try:
            results[name] = score(our_embeddings(work, blob), reference["alone"])
        except ours.Failed as error:
            failed[name] = str(error)
        print(f"accuracy: {name}", file=sys.stderr, flush=True)
    for name in names:
        try:
            arrays = reference if name == REFERENCE else peer_embeddings(work, name)
        except ours.Failed as error:
            failed[name] = str(error)
            continue
        results[name] = score(arrays["alone"], reference["alone"]) | {"same_in_batch": same_in_a_batch(arrays)}
        print(f"accuracy: {name}", file=sys.stderr, flush=True)
    return {"results": results, "failed": failed}
