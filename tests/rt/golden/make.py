#!/usr/bin/env python3
"""Made the golden blobs of this folder: a small DS-CNN (tests/digest/ds_cnn_model.py) in all precisions, in int8 over 8-bit maps, and these in bands; pools over frames and pictures, whole and in bands; convolutions with groups. Once the format has a release they are never made
again; a new form of a convolution gets blobs beside them. Readers of before a form refuse them with UNSUPPORTED (a new op) or MODEL (a new parameter).

usage: make.py EDGECONV OUT"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "digest"))
import ds_cnn_model
import encoder_model


class Pools(encoder_model.Writer):
    """Frames [batch, 12, sequence] of ids: pools over time with strides and padding, then over them as a picture, then five scores."""

    def graph(self):
        ids = self.node("Gather", [self.weights(64, 12), "input_ids"], axis=0)
        mask = self.node("Unsqueeze", [self.node("Cast", ["attention_mask"], to=encoder_model.FLOAT), self.integers(2)])
        x = self.node("Transpose", [self.node("Mul", [ids, mask])], perm=[0, 2, 1])
        x = self.node("MaxPool", [x], kernel_shape=[3], strides=[2], pads=[1, 1])
        x = self.node("AveragePool", [x], kernel_shape=[2], strides=[1], pads=[0, 1])
        x = self.node("Unsqueeze", [x, self.integers(1)])
        x = self.node("Conv", [x, self.weights(8, 1, 3, 3)], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        x = self.node("MaxPool", [x], kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1])
        total = self.node("ReduceMax", [x], axes=[2, 3], keepdims=0)
        self.nodes.append(self.output(self.linear(total, 8, 5), "scores"))
        return self.model("pools", "scores", 5)


class Groups(encoder_model.Writer):
    """Frames [batch, 60, sequence] of ids: three groups of 20 filters over time, then over them as a picture two of 24, then five scores."""

    def graph(self):
        ids = self.node("Gather", [self.weights(64, 60), "input_ids"], axis=0)
        mask = self.node("Unsqueeze", [self.node("Cast", ["attention_mask"], to=encoder_model.FLOAT), self.integers(2)])
        x = self.node("Transpose", [self.node("Mul", [ids, mask])], perm=[0, 2, 1])
        x = self.node("Conv", [x, self.weights(60, 20, 5)], kernel_shape=[5], pads=[2, 2], group=3)
        x = self.node("Reshape", [self.node("Tanh", [x]), self.integers(0, 12, 5, -1)])
        x = self.node("Conv", [x, self.weights(48, 6, 3, 3), self.weights(48)], kernel_shape=[3, 3], strides=[1, 2], pads=[1, 1, 1, 1], group=2)
        total = self.node("ReduceMax", [self.node("Relu", [x])], axes=[2, 3], keepdims=0)
        self.nodes.append(self.output(self.linear(total, 48, 5), "scores"))
        return self.model("groups", "scores", 5)


def convert(edgeconv, model, blob, batch, sequence, options):
    subprocess.run([edgeconv, "convert", model, "-o", blob, *options, "--force", "--dim", f"batch={batch}", "--dim", f"sequence={sequence}"], check=True,
                   stdout=subprocess.DEVNULL)


def main(edgeconv, out):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "ds_cnn.onnx"
        ds_cnn_model.write(model, 64, 20, 2)
        maps = ("--precision", "int8", "--maps", "all")
        for name, batch, sequence, options in (
            ("int8", 4, 40, ("--precision", "int8")),
            ("w8a16", 4, 40, ("--precision", "w8a16")),
            ("w12a13", 4, 40, ("--precision", "w12a13")),
            ("fp32", 4, 40, ("--precision", "fp32")),
            ("maps", 4, 40, maps),
            ("bands", 1, 160, (*maps, "--target", "cortex-m", "--bands", "all")),
        ):
            convert(edgeconv, model, pathlib.Path(out) / f"ds_cnn_{name}.ert", batch, sequence, options)
        model = pathlib.Path(folder) / "groups.onnx"
        model.write_bytes(Groups(29).graph())
        for precision in ("int8", "w8a16"):
            convert(edgeconv, model, pathlib.Path(out) / f"groups_{precision}.ert", 2, 37, ("--precision", precision))
        model = pathlib.Path(folder) / "pools.onnx"
        model.write_bytes(Pools(23).graph())
        convert(edgeconv, model, pathlib.Path(out) / "pools.ert", 3, 41, ("--precision", "int8"))
        convert(edgeconv, model, pathlib.Path(out) / "pools_bands.ert", 1, 120, ("--precision", "int8", "--target", "cortex-m", "--bands", "all"))


if __name__ == "__main__":
    main(*sys.argv[1:])
