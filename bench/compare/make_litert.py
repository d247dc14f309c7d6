"""make_litert.py WORKDIR MODEL: the model as litert_int8.tflite, one signature per shape of its grid.

Runs in the environment of litert-torch. Weights int8 per channel, activations quantized per row while running
(the quantizer's dynamic_wi8_afp32 recipe); XNNPACK executes it. The converter yields fixed shapes only, so a
text is padded up to the next length of the grid.
"""
import os
import sys

import litert_torch
import torch
from ai_edge_quantizer import quantizer, recipe

from models import MODELS, environments

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "models"))


class LastHiddenState(torch.nn.Module):
    """BertModel returns a dictionary-like object; the converter wants one tensor."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.encoder(input_ids, attention_mask, token_type_ids)[0]


def load(work, model):
    if model.name != "minilm":
        import random_models
        return random_models.load(os.path.join(work, "models"), model.name)
    from transformers import AutoModel
    folder = os.path.join(environments(work)["minilm"], "model")
    return LastHiddenState(AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True)).eval()


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in MODELS:
        sys.exit(__doc__)
    work, model = sys.argv[1], MODELS[sys.argv[2]]
    target = model.variant(work, "litert_int8", "tflite")
    if os.path.exists(target):
        return
    module = load(work, model)
    signatures = litert_torch
    for batch, sequence in model.grid:
        # 32-bit integers: LiteRT's kernels for indices have no wider ones.
        example = tuple(torch.from_numpy(array.astype("int32") if array.dtype == "int64" else array)
                        for array in model.full_feed(batch, sequence).values())
        signatures = signatures.signature(f"s{batch}x{sequence}", module, example)
    fp32 = target + ".fp32"
    signatures.convert().export(fp32)
    quantization = quantizer.Quantizer(fp32)
    quantization.load_quantization_recipe(recipe.dynamic_wi8_afp32())
    unfinished = target + ".part"
    quantization.quantize().export_model(unfinished)
    os.remove(fp32)
    os.replace(unfinished, target)
    print(f"made {model.name} litert_int8.tflite", flush=True)


if __name__ == "__main__":
    main()
