"""The models that are compared: their inputs and their files. By how much peers are to be beaten: goals.py.

Nothing heavy is imported here, so that this module can be read in every environment.
"""
import json
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np

FURTHER_GRID = ((1, 16), (1, 64), (1, 128), (8, 32))


def environments(work):
    with open(os.path.join(work, "environments.json"), encoding="utf-8") as file:
        return json.load(file)


def shape_name(batch, sequence):
    return f"{batch}x{sequence}"


def draw_tokens(random, length):
    return random.integers(1000, 30000, length)


def draw_vectors(random, length):
    return random.standard_normal((length, 128)).astype(np.float32)


def lengths_and_padding(samples, sequence):
    """int64 lengths [batch], and the samples padded with zeros to [batch, sequence, ...]."""
    lengths = np.array([len(sample) for sample in samples], np.int64)
    padded = np.zeros((len(samples), sequence, *samples[0].shape[1:]), samples[0].dtype)
    for row, sample in zip(padded, samples):
        row[:len(sample)] = sample
    return lengths, padded


def bert_feed(samples, sequence):
    lengths, ids = lengths_and_padding(samples, sequence)
    mask = (np.arange(sequence)[None] < lengths[:, None]).astype(np.int64)
    return {"input_ids": ids.astype(np.int64), "attention_mask": mask, "token_type_ids": np.zeros_like(mask)}


def equally_long(samples, sequence):
    if any(len(sample) != sequence for sample in samples):
        raise ValueError("this model has no mask: all samples of a batch are equally long")
    return np.stack(samples)


def ids_feed(samples, sequence):
    return {"ids": equally_long(samples, sequence).astype(np.int64)}


def frames_feed(samples, sequence):
    return {"x": equally_long(samples, sequence)}


def vectors_feed(samples, sequence):
    lengths, x = lengths_and_padding(samples, sequence)
    return {"x": x, "lengths": lengths}


@dataclass(frozen=True)
class Model:
    name: str
    title: str
    grid: tuple                 # batch x tokens
    draw: Callable              # (generator, length) -> one sample, [length, ...]
    feed: Callable              # (samples, sequence) -> {input: array}, padded to `sequence` where the model can
    output: str
    per_token: bool = True      # output [batch, sequence, ...]; else [batch, ...]
    padding: bool = True        # samples of different lengths in one batch
    fixed_files: bool = False   # peers that read ONNX get one file of fixed sizes per shape

    def folder(self, work):
        return os.path.join(work, "models", self.name)

    def onnx(self, work):
        """The fp32 file that edgeconv converts."""
        if self.name == "minilm":
            return os.path.join(environments(work)["minilm"], "minilm.onnx")
        return os.path.join(self.folder(work), f"{self.name}.onnx")

    def peer_onnx(self, work, shape=None):
        """The fp32 file that ONNX Runtime and OpenVINO start from."""
        return os.path.join(self.folder(work), f"{self.name}_{shape}.onnx") if self.fixed_files else self.onnx(work)

    def variant(self, work, name, suffix, shape=None):
        """Where a peer's form of the model lies."""
        if self.name == "minilm":
            return os.path.join(work, "variants", f"{name}.{suffix}")
        stem = f"{name}_{shape}" if self.fixed_files and suffix != "tflite" else name
        return os.path.join(self.folder(work), f"{stem}.{suffix}")

    def shapes(self):
        return [shape_name(*shape) for shape in self.grid]

    def full_feed(self, batch, sequence, seed=0):
        random = np.random.default_rng(seed)
        return self.feed([self.draw(random, sequence) for _ in range(batch)], sequence)


MODELS = {model.name: model for model in (
    Model("minilm", "all-MiniLM-L6-v2", ((1, 8), (1, 16), (1, 32), (1, 64), (1, 128), (1, 256), (8, 32)), draw_tokens, bert_feed,
          "last_hidden_state"),
    Model("textclassifier", "TextClassifier: 30000 x 256, four layers, 8 heads, feed-forward 2048", FURTHER_GRID, draw_tokens,
          ids_feed, "y", per_token=False, padding=False, fixed_files=True),
    Model("bert_base", "BERT-base size, random weights", FURTHER_GRID, draw_tokens, bert_feed, "y"),
    Model("bilstm", "bi-LSTM 128 -> 256, two layers, with lengths", FURTHER_GRID, draw_vectors, vectors_feed, "y"),
    Model("gru", "GRU 128 -> 256, two layers, forward", FURTHER_GRID, draw_vectors, frames_feed, "y", padding=False),
)}
