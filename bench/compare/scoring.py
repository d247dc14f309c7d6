"""Sentence embeddings and how close they are to those of the fp32 model."""
import os

import numpy as np


def scored_texts(work):
    """The ids of each text, [its length]."""
    tokens = np.load(os.path.join(work, "texts", "tokens.npz"))
    return [ids[:length] for ids, length in zip(tokens["scored_ids"], tokens["scored_lengths"])]


def mean_pool(hidden, mask):
    """Mean over the unmasked tokens, then L2 norm."""
    weights = mask[..., None].astype(np.float32)
    mean = (hidden * weights).sum(1) / weights.sum(1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def ranks(values):
    """Ranks from 0, equal values sharing the mean of theirs, as Spearman's coefficient wants them."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2)[place]


def spearman(a, b):
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def score(embeddings, reference):
    """Both [texts, hidden] with unit rows. Nearest: whether each text has the same nearest other text."""
    # In double precision, so that the score of an exact copy is not blurred by the scoring itself.
    a, b = embeddings.astype(np.float64), reference.astype(np.float64)
    cosine = (a * b).sum(1)
    similar_a, similar_b = a @ a.T, b @ b.T
    pairs = np.triu_indices(len(a), 1)
    not_itself = 9 * np.eye(len(a))
    nearest = np.argmax(similar_a - not_itself, 1) == np.argmax(similar_b - not_itself, 1)
    return {"cosine_mean": float(cosine.mean()), "cosine_min": float(cosine.min()),
            "spearman": spearman(similar_a[pairs], similar_b[pairs]), "nearest_same": float(nearest.mean())}
