"""random_models.py WORKDIR [NAME...]: further models with random weights, as fp32 ONNX files in WORKDIR/NAME.

textclassifier  Embedding 30000 x 256, four nn.TransformerEncoder layers of 8 heads, feed-forward 2048, mean, Linear 5
bert_base       BertModel of transformers in its default size: 12 layers, hidden 768, 12 heads, feed-forward 3072
bilstm          bidirectional nn.LSTM 128 -> 256 of two layers over sequences with lengths, Linear 5
gru             nn.GRU 128 -> 256 of two layers, forward only, Linear 5: what listens to sound frame by frame

Speed does not depend on the weights, and accuracy is measured against the same weights in fp32. WORKDIR/NAME/weights.pt
keeps them, because another version of torch may draw others from the same seed.

NAME.onnx has dynamic batch and sequence. The TorchScript exporter writes nn.MultiheadAttention with fixed sizes only, so
textclassifier.onnx comes from the dynamo exporter, and beside it stand textclassifier_1x128.onnx and so on from TorchScript:
fixed shapes are what suits other runtimes best.
"""
import os
import sys

import torch

# batch x tokens
GRID = [(1, 16), (1, 64), (1, 128), (8, 32)]
NAMES = ("textclassifier", "bert_base", "bilstm", "gru")
CLASSES = 5


class TextClassifier(torch.nn.Module):
    inputs = ("ids",)

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(30000, 256)
        layer = torch.nn.TransformerEncoderLayer(256, 8, dim_feedforward=2048, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        # TransformerEncoder copies one layer; four equal layers would be a special case of accuracy.
        for each in self.encoder.layers:
            for parameter in each.parameters():
                if parameter.dim() > 1:
                    torch.nn.init.xavier_uniform_(parameter)
        self.head = torch.nn.Linear(256, CLASSES)

    def forward(self, ids):
        return self.head(self.encoder(self.embedding(ids)).mean(1))

    @staticmethod
    def example(batch, sequence, integer=torch.long):
        return (torch.randint(0, 30000, (batch, sequence), dtype=integer),)


class BertBase(torch.nn.Module):
    inputs = ("input_ids", "attention_mask", "token_type_ids")

    def __init__(self):
        super().__init__()
        from transformers import BertConfig, BertModel
        self.encoder = BertModel(BertConfig(attn_implementation="eager"), add_pooling_layer=False)

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.encoder(input_ids, attention_mask, token_type_ids)[0]

    @staticmethod
    def example(batch, sequence, integer=torch.long):
        ids = torch.randint(1000, 30000, (batch, sequence), dtype=integer)
        return ids, torch.ones_like(ids), torch.zeros_like(ids)


class BiLstm(torch.nn.Module):
    inputs = ("x", "lengths")

    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(128, 256, 2, batch_first=True, bidirectional=True)
        self.head = torch.nn.Linear(512, CLASSES)

    def forward(self, x, lengths):
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(y)

    @staticmethod
    def example(batch, sequence, integer=torch.long):
        # The exporter compares lengths with the batch's longest, so the first row is full.
        return torch.randn(batch, sequence, 128), torch.full((batch,), sequence, dtype=integer)


class Gru(torch.nn.Module):
    inputs = ("x",)

    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(128, 256, 2, batch_first=True)
        self.head = torch.nn.Linear(256, CLASSES)

    def forward(self, x):
        return self.head(self.gru(x)[0])

    @staticmethod
    def example(batch, sequence, integer=torch.long):
        return (torch.randn(batch, sequence, 128),)


MODULES = {"textclassifier": TextClassifier, "bert_base": BertBase, "bilstm": BiLstm, "gru": Gru}


def load(work, name):
    """The module with its saved weights, in evaluation mode."""
    # The fast path of nn.TransformerEncoder is one operator that no exporter knows.
    torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(0)
    module = MODULES[name]().eval()
    weights = os.path.join(work, name, "weights.pt")
    if os.path.exists(weights):
        module.load_state_dict(torch.load(weights, weights_only=True))
    else:
        os.makedirs(os.path.dirname(weights), exist_ok=True)
        torch.save(module.state_dict(), weights + ".part")
        os.replace(weights + ".part", weights)
    return module


def export_torchscript(module, path, batch, sequence, dynamic):
    axes = {}
    if dynamic:
        axes = {name: {0: "batch"} if name == "lengths" else {0: "batch", 1: "sequence"} for name in (*module.inputs, "y")}
    torch.onnx.export(module, module.example(batch, sequence), path, input_names=list(module.inputs), output_names=["y"],
                      dynamic_axes=axes, opset_version=17, dynamo=False)


def export_dynamo(module, path):
    axes = {0: torch.export.Dim("batch", min=1, max=64), 1: torch.export.Dim("sequence", min=2, max=512)}
    torch.onnx.export(module, module.example(2, 10), path, input_names=list(module.inputs), output_names=["y"],
                      dynamic_shapes=tuple(axes for _ in module.inputs), opset_version=18, dynamo=True, external_data=False)


def jobs(name, module):
    """(file, export) pairs of one model."""
    if name != "textclassifier":
        return [(f"{name}.onnx", lambda path: export_torchscript(module, path, 2, 10, True))]
    fixed = [(f"{name}_{batch}x{sequence}.onnx",
              lambda path, batch=batch, sequence=sequence: export_torchscript(module, path, batch, sequence, False))
             for batch, sequence in GRID]
    return [(f"{name}.onnx", lambda path: export_dynamo(module, path)), *fixed]


def main():
    if len(sys.argv) < 2 or any(name not in NAMES for name in sys.argv[2:]):
        sys.exit(__doc__)
    work = sys.argv[1]
    for name in sys.argv[2:] or NAMES:
        module = load(work, name)
        for file, export in jobs(name, module):
            path = os.path.join(work, name, file)
            if os.path.exists(path):
                continue
            # Written under another name first: an interrupted export must not pass for a finished one.
            export(path + ".part")
            os.replace(path + ".part", path)
            print(f"made {file} {os.path.getsize(path) / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
