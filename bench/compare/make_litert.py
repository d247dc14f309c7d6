"""make_litert.py WORKDIR: MiniLM as WORKDIR/variants/litert_int8.tflite, one signature per shape of the grid.

Runs in the environment of litert-torch. Weights int8 per channel, activations quantized per row while running
(the quantizer's dynamic_wi8_afp32 recipe); XNNPACK executes it. The converter yields fixed shapes only, so a
text is padded up to the next length of the grid.
"""
import json
import os
import sys

import litert_torch
import torch
from ai_edge_quantizer import quantizer, recipe
from transformers import AutoModel

from peers import GRID


class LastHiddenState(torch.nn.Module):
    """BertModel returns a dictionary-like object; the converter wants one tensor."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.encoder(input_ids, attention_mask, token_type_ids)[0]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = sys.argv[1]
    target = os.path.join(work, "variants", "litert_int8.tflite")
    if os.path.exists(target):
        return
    with open(os.path.join(work, "environments.json"), encoding="utf-8") as file:
        model = os.path.join(json.load(file)["minilm"], "model")
    module = LastHiddenState(AutoModel.from_pretrained(model, attn_implementation="eager",
                                                       local_files_only=True)).eval()
    signatures = litert_torch
    for batch, sequence in GRID:
        ids = torch.randint(1000, 20000, (batch, sequence), dtype=torch.int32)
        signatures = signatures.signature(f"s{batch}x{sequence}", module,
                                          (ids, torch.ones_like(ids), torch.zeros_like(ids)))
    fp32 = os.path.join(work, "variants", "litert_fp32.tflite")
    signatures.convert().export(fp32)
    quantization = quantizer.Quantizer(fp32)
    quantization.load_quantization_recipe(recipe.dynamic_wi8_afp32())
    unfinished = target + ".part"
    quantization.quantize().export_model(unfinished)
    os.remove(fp32)
    os.replace(unfinished, target)
    print("made litert_int8.tflite", flush=True)


if __name__ == "__main__":
    main()
