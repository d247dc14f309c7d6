"""Exports the trained weights as langid.onnx and langid.labels.txt and checks the file.

    python export.py --work DIR [--out DIR]      reads DIR/langid.pt as written by train.py
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch

from features import BUCKETS, MAX_IDS, PAD
from languages import CODES, LANGUAGES
from model import LanguageClassifier

HERE = Path(__file__).parent
LIMIT = 3_000_000


def strip(proto):
    """Removes what the exporter records about this machine: stack traces, source paths, module scopes."""
    def clear(nodes):
        for node in nodes:
            del node.metadata_props[:]
            node.doc_string = ""
            for attribute in node.attribute:
                clear(attribute.g.node)
                for graph in attribute.graphs:
                    clear(graph.node)
    for holder in (proto, proto.graph):
        del holder.metadata_props[:]
        holder.doc_string = ""
    clear(proto.graph.node)
    for function in proto.functions:
        del function.metadata_props[:]
        function.doc_string = ""
        clear(function.node)
    for values in (proto.graph.input, proto.graph.output, proto.graph.value_info, proto.graph.initializer):
        for value in values:
            del value.metadata_props[:]
            value.doc_string = ""


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check(path, model):
    """The file against torch over batch and sequence sizes, and padded against unpadded rows."""
    run, rng, worst = session(path), np.random.default_rng(3), 0.0
    for batch in (1, 8):
        for length in (1, 2, 7, 128):
            ids = rng.integers(1, BUCKETS, size=(batch, length))
            mask = np.ones_like(ids)
            got = run.run(None, {"input_ids": ids, "attention_mask": mask})[0]
            with torch.no_grad():
                want = model(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
            error = np.abs(got - want).max() / np.abs(want).max()
            if length < MAX_IDS:
                # Padding filled with other ids must change nothing: only the mask may matter.
                extra = rng.integers(0, BUCKETS, size=(batch, min(MAX_IDS - length, 40)))
                padded = run.run(None, {"input_ids": np.concatenate([ids, extra], 1),
                                        "attention_mask": np.concatenate([mask, np.zeros_like(extra)], 1)})[0]
                error = max(error, np.abs(got - padded).max() / np.abs(want).max())
            print(f"batch {batch} sequence {length}: largest relative difference {error:.1e}")
            worst = max(worst, error)
    if worst > 1e-4:
        sys.exit("export: the ONNX file does not compute what the model does")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE)
    args = parser.parse_args()
    torch.set_num_threads(1)
    # The fused inference path of nn.MultiheadAttention is one operator that the exporter cannot take apart.
    torch.backends.mha.set_fastpath_enabled(False)
    model = LanguageClassifier(len(CODES))
    model.load_state_dict(torch.load(args.work / "langid.pt", weights_only=True))
    model.eval()
    path = args.out / "langid.onnx"
    ids = torch.randint(1, BUCKETS, (2, 9), generator=torch.Generator().manual_seed(1))
    dims = {0: torch.export.Dim("batch", min=1, max=1024), 1: torch.export.Dim("sequence", min=1, max=MAX_IDS)}
    torch.onnx.export(model, (ids, torch.ones_like(ids)), str(path), input_names=["input_ids", "attention_mask"],
                      output_names=["logits"], dynamic_shapes=(dims, dims), opset_version=18, dynamo=True,
                      external_data=False)
    proto = onnx.load(path)
    strip(proto)
    onnx.checker.check_model(proto, full_check=True)
    onnx.save(proto, path)
    lines = [f"{code} {name}" for code, name, _ in LANGUAGES]
    (args.out / "langid.labels.txt").write_text("\n".join(lines) + "\n")
    config = {"architectures": ["LanguageModelForSequenceClassification"], "pad_token_id": PAD, "id2label": {str(i): line for i, line in enumerate(lines)}}
    (args.out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    size = path.stat().st_size
    operators = sorted({node.op_type for node in proto.graph.node})
    print(f"{path.name}: {size} bytes, {len(proto.graph.node)} nodes, operators {' '.join(operators)}")
    check(path, model)
    # Weights are left out of the search: random bytes spell short names by chance.
    for tensor in proto.graph.initializer:
        tensor.ClearField("raw_data")
    data = proto.SerializeToString()
    for marker in (b"/home", b"/tmp", b"/work", b"/root", b"/usr", b"site-packages", b".py"):
        if marker in data:
            sys.exit(f"export: the file names a path of this machine ({marker.decode()})")
    if size > LIMIT:
        sys.exit(f"export: {size} bytes is above the limit of {LIMIT}")


if __name__ == "__main__":
    main()
