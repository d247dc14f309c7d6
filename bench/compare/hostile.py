"""MiniLM made hostile on purpose: channels of its LayerNorm weights a hundred times as large, as trained checkpoints have them."""
import json
import os

import numpy as np
import onnx
from onnx import numpy_helper

import ours
from models import MODELS

FACTOR, CHANNELS = 100, (11, 77, 201)
TEXTS, BATCH = 64, 8
STANDS_OUT = 50  # what the summary of a conversion names: kStandsOut in convert/precision/layer_facts.h


def make(model, target):
    """Returns how many LayerNorms were changed."""
    graph = onnx.load(model)
    weights = {tensor.name: tensor for tensor in graph.graph.initializer}
    names = {node.input[1] for node in graph.graph.node if node.op_type == "LayerNormalization"} & set(weights)
    names = names or {name for name in weights if name.endswith("LayerNorm.weight")}
    for name in names:
        gamma = numpy_helper.to_array(weights[name]).copy()
        gamma[list(CHANNELS)] *= FACTOR
        weights[name].CopyFrom(numpy_helper.from_array(gamma, name))
    onnx.save(graph, target)
    return len(names)


def inputs(work, texts):
    """Folders of real texts for validate --data."""
    model, folders = MODELS["minilm"], []
    for start in range(0, TEXTS, BATCH):
        batch = texts[start:start + BATCH]
        folder = os.path.join(work, "texts", f"hostile_{start}")
        os.makedirs(folder, exist_ok=True)
        for name, array in model.feed(batch, max(map(len, batch))).items():
            np.save(os.path.join(folder, name + ".npy"), array)
        folders.append(folder)
    return folders


def measure(work, texts):
    """{"worst_cosine": of the outputs against the hostile model in fp32, "named": layers that the report names, "slowdown"}"""
    hostile, blob = os.path.join(work, "hostile.onnx"), os.path.join(work, "hostile.ert")
    if make(MODELS["minilm"].onnx(work), hostile) < 2:
        raise ours.Failed(None, "no LayerNorm weights found")
    report = json.loads(ours.call([ours.edgeconv(), hostile, "-o", blob, "--json", "--progress", "off"]))
    data = [part for folder in inputs(work, texts) for part in ("--data", folder)]
    seen = json.loads(ours.call([ours.edgeconv(), "validate", hostile, blob, "--json", *data]))
    named = [layer["name"] for layer in report["layer_table"] if (layer["outlier_index"] or 0) > STANDS_OUT]
    return {"worst_cosine": min(output["cosine"] for output in seen["outputs"]), "named": len(named), "slowdown": report["slowdown"]}
