"""export_minilm.py WORKDIR: exports WORKDIR/model (all-MiniLM-L6-v2) as fp32 ONNX files in WORKDIR.

minilm.onnx          TorchScript exporter, opset 17; outputs last_hidden_state [batch, sequence, 384] and
                     pooler_output [batch, 384]
minilm_emb.onnx      the same with mean pooling and L2 norm in the graph: sentence_embedding [batch, 384]
minilm_dy.onnx       dynamo exporter, opset 18, outputs as minilm.onnx
minilm_dy_emb.onnx   dynamo exporter, output as minilm_emb.onnx

Files that exist are left alone.
"""
import os
import sys

import torch
from transformers import AutoModel

# The order of BertModel.forward: the exporter passes the example tensors by position, so another
# order would silently feed the mask as token types.
INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class SentenceEmbedding(torch.nn.Module):
    """Mean over the unmasked tokens, then L2 norm: what sentence-transformers does for this model."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask, token_type_ids):
        hidden = self.encoder(input_ids, attention_mask, token_type_ids)[0]
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(mean, dim=1)


def example_inputs():
    """Two rows of different length, so that nothing of the mask can be folded away."""
    ids = torch.tensor([[101, 1037, 3231, 1997, 1996, 9167, 102, 0], [101, 2178, 2028, 2007, 2062, 2616, 2009, 102]])
    return ids, (ids != 0).long(), torch.zeros_like(ids)


def export_torchscript(module, path, outputs):
    axes = {name: {0: "batch", 1: "sequence"} for name in INPUTS}
    for name in outputs:
        axes[name] = {0: "batch", 1: "sequence"} if name == "last_hidden_state" else {0: "batch"}
    torch.onnx.export(module, example_inputs(), path, input_names=INPUTS, output_names=outputs,
                      dynamic_axes=axes, opset_version=17, dynamo=False)


def export_dynamo(module, path, outputs):
    batch = torch.export.Dim("batch", min=1, max=64)
    # One token is refused: torch.export treats size 1 as a constant.
    sequence = torch.export.Dim("sequence", min=2, max=512)
    torch.onnx.export(module, example_inputs(), path, input_names=INPUTS, output_names=outputs,
                      dynamic_shapes=tuple({0: batch, 1: sequence} for _ in INPUTS), opset_version=18,
                      dynamo=True, external_data=False)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = sys.argv[1]
    encoder = AutoModel.from_pretrained(os.path.join(work, "model"), attn_implementation="eager",
                                        local_files_only=True).eval()
    with_pooling = SentenceEmbedding(encoder).eval()
    jobs = [
        ("minilm.onnx", export_torchscript, encoder, ["last_hidden_state", "pooler_output"]),
        ("minilm_emb.onnx", export_torchscript, with_pooling, ["sentence_embedding"]),
        ("minilm_dy.onnx", export_dynamo, encoder, ["last_hidden_state", "pooler_output"]),
        ("minilm_dy_emb.onnx", export_dynamo, with_pooling, ["sentence_embedding"]),
    ]
    for name, export, module, outputs in jobs:
        path = os.path.join(work, name)
        if os.path.exists(path):
            continue
        # Written under another name first: an interrupted export must not pass for a finished one.
        unfinished = path + ".part"
        export(module, unfinished, outputs)
        os.replace(unfinished, path)
        print(f"minilm: {name} {os.path.getsize(path) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
