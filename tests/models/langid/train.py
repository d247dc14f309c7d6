"""Trains the language identification model and saves its weights; export.py writes the ONNX file.

    python train.py --work DIR [--samples N] [--seed N] [--rate R] [--start FILE]

DIR is as filled by corpus.py; DIR/langid.pt is written. README.md has the runs that made the shipped file.
"""
import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from features import MAX_IDS, NO_TEXT, PAD, ngrams
from languages import CODES
from model import LanguageClassifier
from samples import Sampler, load

HERE = Path(__file__).parent
CHUNK = 16384          # samples sorted by length together, so that batches hold little padding
TOKENS = 3072          # ids in one batch


def pad(rows):
    """Ids and mask of a batch, padded to its longest row."""
    ids = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for k, row in enumerate(rows):
        ids[k, :len(row)] = row
    mask = (ids != PAD).astype(np.int64)
    return torch.from_numpy(ids), torch.from_numpy(mask)


def batches(sampler, total, rng):
    """Yields (labels, ids, mask, samples so far), shuffled inside each length-sorted chunk."""
    for start in range(0, total, CHUNK):
        chunk = []
        while len(chunk) < min(CHUNK, total - start):
            label, text = sampler.draw()
            row = ngrams(text)
            if row[0] != NO_TEXT:
                chunk.append((label, row))
        chunk.sort(key=lambda item: len(item[1]))
        groups, group = [], []
        for item in chunk:
            if group and len(item[1]) * (len(group) + 1) > TOKENS or len(group) == 512:
                groups.append(group)
                group = []
            group.append(item)
        groups.append(group)
        done = 0
        for k in rng.permutation(len(groups)):
            ids, mask = pad([row for _, row in groups[k]])
            done += len(groups[k])
            yield torch.tensor([label for label, _ in groups[k]]), ids, mask, start + done


def rate(progress):
    """Learning rate factor: a short warm-up, then a cosine to zero."""
    if progress < 0.03:
        return progress / 0.03
    return 0.5 + 0.5 * np.cos(np.pi * min(1.0, (progress - 0.03) / 0.97))


def check(model, held, rng):
    """Accuracy on held-out sentences and on their single words, for the log only."""
    model.eval()
    answers = []
    with torch.no_grad():
        for single in (False, True):
            right = count = 0
            for code in CODES:
                texts = [held[code][k] for k in rng.integers(len(held[code]), size=40)]
                if single:
                    texts = [max(t.split(), key=len)[:12] for t in texts]
                ids, mask = pad([ngrams(t) for t in texts])
                right += (model(ids, mask).argmax(1) == CODES.index(code)).sum().item()
                count += len(texts)
            answers.append(right / count)
    model.train()
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=1_200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="continue from these weights instead of random ones")
    parser.add_argument("--rate", type=float, default=2e-3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    sampler = Sampler(args.work, HERE / "everyday.tsv", args.seed)
    held = load(args.work / "held.tsv")
    model = LanguageClassifier(len(CODES))
    if args.start:
        model.load_state_dict(torch.load(args.start, weights_only=True))
    print(sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.01, betas=(0.9, 0.98))
    loss_of = nn.CrossEntropyLoss()
    started, shown, running = time.time(), 0, None
    for labels, ids, mask, done in batches(sampler, args.samples, rng):
        for group in optimizer.param_groups:
            group["lr"] = args.rate * rate(done / args.samples)
        loss = loss_of(model(ids, mask), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running = loss.item() if running is None else 0.99 * running + 0.01 * loss.item()
        if done - shown >= 131072:
            shown = done
            sentence, word = check(model, held, rng)
            print(f"{done} samples, {time.time() - started:.0f} s, loss {running:.4f}, held-out sentences {sentence:.4f}, "
                  f"words {word:.4f}", flush=True)
            torch.save(model.state_dict(), args.work / "langid.pt")
    torch.save(model.state_dict(), args.work / "langid.pt")


if __name__ == "__main__":
    main()
