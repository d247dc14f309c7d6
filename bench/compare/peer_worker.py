"""peer_worker.py: one measurement of one peer, in a process of its own and in the peer's own environment.

peer_worker.py speed WORKDIR PEER THREADS SHAPES   prints {"1x8": {"median_us", "least_us", "calls"}, ...} as JSON
peer_worker.py embed WORKDIR PEER OUT.npz          sentence embeddings of the scored texts, alone and in batches of 8
peer_worker.py version WORKDIR PEER                prints the version of the peer's package
"""
import importlib.metadata
import json
import os
import statistics
import sys
import time

import numpy as np

from peers import GRID, PEERS, shape_name
from scoring import mean_pool, scored_texts

# Enough calls for a stable median of the short shapes, without minutes for the long ones.
LEAST_CALLS, MOST_CALLS, SECONDS = 15, 200, 0.35
LEAST_WARMUP_CALLS, WARMUP_SECONDS = 5, 0.05
BATCH = 8


def time_shape(call):
    start = time.perf_counter()
    warmups = 0
    while warmups < LEAST_WARMUP_CALLS or time.perf_counter() - start < WARMUP_SECONDS:
        call()
        warmups += 1
    taken = []
    start = time.perf_counter()
    while len(taken) < LEAST_CALLS or (len(taken) < MOST_CALLS and time.perf_counter() - start < SECONDS):
        before = time.perf_counter()
        call()
        taken.append((time.perf_counter() - before) * 1e6)
    return {"median_us": statistics.median(taken), "least_us": min(taken), "calls": len(taken)}


def speed(work, name, threads, shapes):
    peer = PEERS[name]
    bind = peer.load(peer.path(work), threads)
    results = {}
    for shape in shapes:
        batch, sequence = map(int, shape.split("x"))
        # Which ids they are does not matter for speed; a mask of ones makes every token count.
        ids = np.random.default_rng(0).integers(1000, 30000, (batch, sequence))
        results[shape] = time_shape(bind(ids, np.ones_like(ids)))
    print(json.dumps(results))


def padded_length(peer, batch, sequence):
    """The least length the peer accepts for this many rows and tokens; None when it has no such shape."""
    if not peer.fixed_shapes:
        return sequence
    return min((s for b, s in GRID if b == batch and s >= sequence), default=None)


def embed_rows(peer, bind, ids, lengths, rows):
    batch, longest = len(rows), int(lengths[rows].max())
    sequence = padded_length(peer, batch, longest)
    padded = np.zeros((batch, sequence), np.int64)
    padded[:, :longest] = ids[rows, :longest]
    mask = (np.arange(sequence)[None] < lengths[rows][:, None]).astype(np.int64)
    return mean_pool(np.array(bind(padded, mask)(), np.float32), mask)


def embed(work, name, target):
    peer = PEERS[name]
    bind = peer.load(peer.path(work), 1)
    ids, lengths = scored_texts(work)
    alone = np.concatenate([embed_rows(peer, bind, ids, lengths, [row]) for row in range(len(ids))])
    # A peer of fixed shapes can batch only the texts that fit its one batched shape, and only full batches.
    fitting = np.flatnonzero([padded_length(peer, BATCH, length) is not None for length in lengths])
    if peer.fixed_shapes:
        fitting = fitting[:len(fitting) // BATCH * BATCH]
    batched, compared = np.zeros_like(alone), np.zeros(len(ids), bool)
    for start in range(0, len(fitting), BATCH):
        rows = fitting[start:start + BATCH]
        batched[rows], compared[rows] = embed_rows(peer, bind, ids, lengths, rows), True
    np.savez(target, alone=alone, batched=batched, compared=compared)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    action, work, name = sys.argv[1:4]
    if action == "speed":
        speed(work, name, int(sys.argv[4]), sys.argv[5].split(","))
    elif action == "embed":
        embed(work, name, sys.argv[4])
    elif action == "version":
        print(importlib.metadata.version(PEERS[name].package))
    else:
        sys.exit(__doc__)
    sys.stdout.flush()
    # Some of these libraries crash while they are taken down; the result is out by now.
    os._exit(0)


if __name__ == "__main__":
    main()
