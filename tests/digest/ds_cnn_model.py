"""Writes a DS-CNN, the keyword spotter of MLPerf Tiny, with weights from a fixed seed, for digests of convolutions. Its spectrum is made from the ids of the
language model: three planes of ten bands, one frame an id. Frames behind a text are zeros behind every layer, as its padding is, so that a
text has the same bits alone and in a padded batch. The first activation is that of openWakeWord, and a dense layer of 3x3 follows the separable
ones: every way that a convolution runs is in it.

usage: ds_cnn_model.py MODEL.onnx [VOCABULARY CHANNELS LAYERS]"""
import pathlib
import sys

from encoder_model import FLOAT, VOCABULARY, Writer

BANDS, PLANES, DENSE, KEYWORDS = 10, 3, 16, 12


class DsCnn(Writer):
    def layer(self, x, mask, filters, depth, kernel, limited=False, **attributes):
        scaled = self.node("Mul", [self.weights(filters, depth, *kernel), self.scalar(2.0 / (depth * kernel[0] * kernel[1]) ** 0.5)])
        y = self.node("Conv", [x, scaled, self.weights(filters)], kernel_shape=kernel, **attributes)
        if limited:
            return self.node("Mul", [self.node("Max", [self.node("LeakyRelu", [y], alpha=0.2), self.scalar(-0.4)]), mask])
        return self.node("Mul", [self.node("Relu", [y]), mask])

    def plane(self, mask, vocabulary):
        bands = self.node("Gather", [self.weights(vocabulary, BANDS), "input_ids"], axis=0)
        return self.node("Unsqueeze", [self.node("Mul", [bands, mask]), self.integers(1)])

    def graph(self, vocabulary, channels, layers):
        frames = self.node("Cast", ["attention_mask"], to=FLOAT)
        mask = self.node("Unsqueeze", [frames, self.integers(2)])
        x = self.node("Concat", [self.plane(mask, vocabulary) for _ in range(PLANES)], axis=1)
        # The first layer sees every second frame.
        half = self.node("Slice", [frames, self.integers(0), self.integers(1 << 30), self.integers(1), self.integers(2)])
        mask = self.node("Unsqueeze", [half, self.integers(1, 3)])
        x = self.layer(x, mask, channels, PLANES, [10, 4], limited=True, strides=[2, 2], pads=[4, 1, 5, 1])
        for _ in range(layers):
            x = self.layer(x, mask, channels, 1, [3, 3], pads=[1, 1, 1, 1], group=channels)
            x = self.layer(x, mask, channels, channels, [1, 1])
        x = self.layer(x, mask, DENSE, channels, [3, 3], pads=[1, 1, 1, 1])
        total = self.node("ReduceSum", [x, self.integers(2, 3)], keepdims=0)
        count = self.node("Mul", [self.node("ReduceSum", [half, self.integers(1)], keepdims=1), self.scalar(BANDS / 2)])
        scores = self.linear(self.node("Div", [total, count]), DENSE, KEYWORDS)
        self.nodes.append(self.output(scores, "scores"))
        return self.model("ds_cnn", "scores", KEYWORDS)


def write(path, vocabulary=VOCABULARY, channels=64, layers=4, seed=21):
    pathlib.Path(path).write_bytes(DsCnn(seed).graph(vocabulary, channels, layers))


if __name__ == "__main__":
    write(sys.argv[1], *map(int, sys.argv[2:]))
