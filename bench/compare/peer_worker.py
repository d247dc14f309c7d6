"""peer_worker.py: one measurement of one peer, in a process of its own and in the peer's own environment.

peer_worker.py speed WORKDIR MODEL PEER THREADS         times a series of calls for every order on standard input, one JSON object
                                                        per line: {"shape", "seconds", "least_calls", "most_calls", "warmup_calls"};
                                                        answers each by a line {"median_us", "least_us", "calls"}
peer_worker.py outputs WORKDIR MODEL PEER OUT.npz       outputs of the samples of further.py, one per call
peer_worker.py embed WORKDIR PEER OUT.npz               MiniLM: embeddings of the scored texts, alone and in batches of 8
peer_worker.py start WORKDIR MODEL PEER SHAPE           time and memory until the first output, as JSON
peer_worker.py version WORKDIR PEER                     prints the version of the peer's package
"""
import importlib.metadata
import json
import os
import statistics
import sys
import time

import numpy as np

from models import MODELS, shape_name
from peers import PEERS

BATCH = 8


def time_series(call, order):
    for _ in range(order["warmup_calls"]):
        call()
    taken = []
    start = time.perf_counter()
    while len(taken) < order["least_calls"] or (len(taken) < order["most_calls"]
                                                and time.perf_counter() - start < order["seconds"]):
        before = time.perf_counter()
        call()
        taken.append((time.perf_counter() - before) * 1e6)
    return {"median_us": statistics.median(taken), "least_us": min(taken), "calls": len(taken)}


class Loaded:
    """One peer with one model: every file is loaded once."""

    def __init__(self, work, model, name, threads):
        self.work, self.model, self.name, self.threads = work, model, name, threads
        self.binds = {}

    def call(self, feed, shape):
        path = PEERS[self.name].path(self.work, self.model, self.name, shape)
        if path not in self.binds:
            self.binds[path] = PEERS[self.name].load(path, self.threads)
        return self.binds[path](feed)


def speed(work, model, name, threads):
    loaded = Loaded(work, model, name, threads)
    # Which ids they are does not matter for speed; a mask of ones makes every token count.
    feeds = {shape: model.full_feed(*map(int, shape.split("x"))) for shape in model.shapes()}
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(time_series(loaded.call(feeds[order["shape"]], order["shape"]), order)), flush=True)


def outputs(work, model, name, target):
    from further import SHAPE, sample_feeds
    loaded = Loaded(work, model, name, 1)
    np.savez(target, y=np.stack([np.array(loaded.call(feed, SHAPE)(), np.float32) for feed in sample_feeds(model)]))


def padded_length(model, peer, batch, sequence):
    """The least length the peer accepts for this many rows and tokens; None when it has no such shape."""
    if not peer.fixed_shapes:
        return sequence
    return min((s for b, s in model.grid if b == batch and s >= sequence), default=None)


def embed_rows(loaded, texts):
    from scoring import mean_pool
    sequence = padded_length(loaded.model, PEERS[loaded.name], len(texts), max(map(len, texts)))
    feed = loaded.model.feed(texts, sequence)
    hidden = np.array(loaded.call(feed, shape_name(len(texts), sequence))(), np.float32)
    return mean_pool(hidden, feed["attention_mask"])


def embed(work, name, target):
    from scoring import scored_texts
    model, peer = MODELS["minilm"], PEERS[name]
    loaded = Loaded(work, model, name, 1)
    texts = scored_texts(work)
    alone = np.concatenate([embed_rows(loaded, [text]) for text in texts])
    # A peer of fixed shapes can batch only the texts that fit its one batched shape, and only full batches.
    fitting = np.flatnonzero([padded_length(model, peer, BATCH, len(text)) is not None for text in texts])
    if peer.fixed_shapes:
        fitting = fitting[:len(fitting) // BATCH * BATCH]
    batched, compared = np.zeros_like(alone), np.zeros(len(texts), bool)
    for start in range(0, len(fitting), BATCH):
        rows = fitting[start:start + BATCH]
        batched[rows], compared[rows] = embed_rows(loaded, [texts[row] for row in rows]), True
    np.savez(target, alone=alone, batched=batched, compared=compared)


def resident_bytes():
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def start(work, model, name, shape):
    """From before the import of the peer's package, so that Python's own start is not counted against it."""
    feed = model.full_feed(*map(int, shape.split("x")))
    before, bytes_before = time.perf_counter(), resident_bytes()
    Loaded(work, model, name, 1).call(feed, shape)()
    print(json.dumps({"first_output_ms": (time.perf_counter() - before) * 1e3,
                      "added_bytes": resident_bytes() - bytes_before}))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    action, work, *rest = sys.argv[1:]
    if action == "speed":
        speed(work, MODELS[rest[0]], rest[1], int(rest[2]))
    elif action == "outputs":
        outputs(work, MODELS[rest[0]], rest[1], rest[2])
    elif action == "embed":
        embed(work, rest[0], rest[1])
    elif action == "start":
        start(work, MODELS[rest[0]], rest[1], rest[2])
    elif action == "version":
        print(importlib.metadata.version(PEERS[rest[0]].package))
    else:
        sys.exit(__doc__)
    sys.stdout.flush()
    # Some of these libraries crash while they are taken down; the result is out by now.
    os._exit(0)


if __name__ == "__main__":
    main()
