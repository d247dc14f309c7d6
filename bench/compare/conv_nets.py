"""conv_nets.py WORKDIR: convolutional networks of small devices as WORKDIR/NAME.onnx, fp32, with random weights but for the last.

The four nets of MLPerf Tiny in their exact shapes, and MobileNetV2:
ds_cnn        keyword spotting: 49 x 10 features, Conv 10 x 4, four depthwise separable layers of 64 channels, 12 classes
resnet8       images: 32 x 32 x 3, three residual stages of 16, 32 and 64 channels, 10 classes
mobilenet025  visual wake words: MobileNetV1 of a quarter of the channels, 96 x 96 x 3, 2 classes
autoencoder   anomalies of machines: 640 features, Linears of 128 and 8, 640 features
mobilenetv2   224 x 224 x 3, 1000 classes
dog_breeds    MobileNetV2 with trained weights (trained_mobilenet.py), 160 x 160 x 3, 19 classes

Speed depends on the weights only through the precision that a conversion chooses. They are drawn so that activations keep their size; norms have moved means and variances.
"""
import os
import subprocess
import sys

import torch
from torch import nn

torch.manual_seed(21)


def conv(inputs, outputs, kernel, stride=1, groups=1, activation=nn.ReLU, padding=None):
    padding = padding if padding is not None else tuple(k // 2 for k in kernel)
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


def separable(inputs, outputs, stride=1):
    return nn.Sequential(conv(inputs, inputs, (3, 3), stride, inputs), conv(inputs, outputs, (1, 1)))


class Padded(nn.Module):
    """Padding of TensorFlow's SAME: what is odd goes behind."""

    def __init__(self, left, right, top, bottom, inner):
        super().__init__()
        self.pad, self.inner = nn.ZeroPad2d((left, right, top, bottom)), inner

    def forward(self, x):
        return self.inner(self.pad(x))


def pooled(*layers, channels, classes):
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes), nn.Softmax(-1))


def ds_cnn():
    first = Padded(1, 1, 4, 5, conv(1, 64, (10, 4), 2, padding=0))
    return pooled(first, *(separable(64, 64) for _ in range(4)), channels=64, classes=12), (1, 1, 49, 10)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(conv(inputs, outputs, (3, 3), stride), conv(outputs, outputs, (3, 3), activation=None))
        self.shortcut = nn.Identity() if stride == 1 else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet8():
    stages = Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2)
    return pooled(conv(3, 16, (3, 3)), *stages, channels=64, classes=10), (1, 3, 32, 32)


def mobilenet025():
    layers, channels = [conv(3, 8, (3, 3), 2)], 8
    for outputs, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)):
        layers.append(separable(channels, outputs, stride))
        channels = outputs
    return pooled(*layers, channels=256, classes=2), (1, 3, 96, 96)


def autoencoder():
    layers, width = [], 640
    for outputs in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        layers += [nn.Linear(width, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
        width = outputs
    return nn.Sequential(*layers, nn.Linear(width, 640)), (1, 640)


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride, factor):
        super().__init__()
        wide = inputs * factor
        widen = [conv(inputs, wide, (1, 1), activation=nn.ReLU6)] if factor > 1 else []
        self.body = nn.Sequential(*widen, conv(wide, wide, (3, 3), stride, wide, nn.ReLU6), conv(wide, outputs, (1, 1), activation=None))
        self.kept = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.kept else self.body(x)


def mobilenetv2_blocks():
    layers, channels = [conv(3, 32, (3, 3), 2, activation=nn.ReLU6)], 32
    for factor, outputs, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(count):
            layers.append(Inverted(channels, outputs, stride if i == 0 else 1, factor))
            channels = outputs
    return layers


def mobilenetv2():
    return pooled(*mobilenetv2_blocks(), conv(320, 1280, (1, 1), activation=nn.ReLU6), channels=1280, classes=1000), (1, 3, 224, 224)


TRAINED = "dog_breeds"
NETS = {f.__name__: f for f in (ds_cnn, resnet8, mobilenet025, autoencoder, mobilenetv2)}


def randomize(net):
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
            module.bias.data.normal_(0, 0.2)


def missing_nets(workdir, suffix):
    """(target, net, shape of its input) of each network that has no file workdir/NAME + suffix yet."""
    os.makedirs(workdir, exist_ok=True)
    for name, make in NETS.items():
        target = os.path.join(workdir, name + suffix)
        if os.path.exists(target):
            continue
        net, shape = make()
        randomize(net)
        yield target, net.eval(), shape
    target = os.path.join(workdir, TRAINED + suffix)
    import trained_mobilenet  # which builds on this file
    if not os.path.exists(target) and trained_mobilenet.is_fetched(workdir):
        net, shape = trained_mobilenet.net(workdir)
        yield target, net.eval(), shape


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    import trained_mobilenet
    os.makedirs(sys.argv[1], exist_ok=True)
    try:
        trained_mobilenet.fetch(sys.argv[1])
    except (ImportError, subprocess.CalledProcessError) as error:
        print(f"conv_nets.py: {TRAINED} is left out: {error}", file=sys.stderr)
    for target, net, shape in missing_nets(sys.argv[1], ".onnx"):
        with torch.no_grad():
            torch.onnx.export(net, torch.randn(shape), target + ".part", input_names=["input"], output_names=["output"], dynamo=False)
        os.replace(target + ".part", target)


if __name__ == "__main__":
    main()
