#!/usr/bin/env python3
"""Convolutional networks of PyTorch with random weights, by both of its exporters: FOLDER/torch_NAME_ts.onnx (TorchScript) and torch_NAME_dy.onnx (dynamo).
Keyword spotters, encoders of movement, heart and brain signals, separators of sound, recognizers and classifiers of pictures, as their papers have them,
with fewer channels where they are large. More than 300 lines: a function for each network.

usage: torch_convolutions.py FOLDER [NAME...]      in the environment of bench/models/requirements.txt"""
import pathlib
import sys

import needs

needs.packages("torch", requirements="bench/models/requirements.txt")
import torch  # noqa: E402
from torch import nn
from torch.nn import functional as F

NETWORKS = {}


def network(*shape):
    def register(make):
        NETWORKS[make.__name__] = (make, shape)
        return make

    return register


class Chain(nn.Module):
    """What a function makes of x with these layers."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        return self.function(self, x)


def conv1(i, o, k, stride=1, dilation=1, groups=1):
    return nn.Sequential(nn.Conv1d(i, o, k, stride, k // 2 * dilation, dilation, groups, bias=False), nn.BatchNorm1d(o), nn.ReLU())


def conv2(i, o, k, stride=1, groups=1, activation=True):
    layers = [nn.Conv2d(i, o, k, stride, k // 2, 1, groups, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([nn.ReLU()] if activation else []))


def residual1(i, o, stride, k):
    shortcut = nn.Sequential(nn.Conv1d(i, o, 1, stride, bias=False), nn.BatchNorm1d(o))
    body = nn.Sequential(conv1(i, o, k, stride), nn.Conv1d(o, o, k, padding=k // 2, bias=False), nn.BatchNorm1d(o))
    return Chain(lambda s, x: F.relu(s.body(x) + s.shortcut(x)), body=body, shortcut=shortcut)


def residual2(i, o, stride):
    shortcut = conv2(i, o, 1, stride, activation=False) if stride != 1 or i != o else nn.Identity()
    body = nn.Sequential(conv2(i, o, 3, stride), conv2(o, o, 3, activation=False))
    return Chain(lambda s, x: F.relu(s.body(x) + s.shortcut(x)), body=body, shortcut=shortcut)


def mean_and_linear(body, channels, classes):
    """Over all positions."""
    return Chain(lambda s, x: s.head(s.body(x).flatten(2).mean(-1)), body=body, head=nn.Linear(channels, classes))


@network(1, 16000)
def m5():
    layers = [nn.Conv1d(1, 32, 80, 16), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(4)]
    for i, o in ((32, 32), (32, 64), (64, 64)):
        layers += [nn.Conv1d(i, o, 3), nn.BatchNorm1d(o), nn.ReLU(), nn.MaxPool1d(4)]
    return mean_and_linear(nn.Sequential(*layers), 64, 35)


@network(6, 128)
def tcn(channels=25, k=7):
    def cut(pad):
        return Chain(lambda _, x: x[:, :, :-pad].contiguous())

    def block(i, o, dilation):
        pad = (k - 1) * dilation
        body = [layer for c in (i, o) for layer in (nn.Conv1d(c, o, k, padding=pad, dilation=dilation), cut(pad), nn.ReLU())]
        shortcut = nn.Conv1d(i, o, 1) if i != o else nn.Identity()
        return Chain(lambda s, x: F.relu(s.body(x) + s.shortcut(x)), body=nn.Sequential(*body), shortcut=shortcut)

    blocks = nn.Sequential(*[block(6 if level == 0 else channels, channels, 2**level) for level in range(6)])
    return Chain(lambda s, x: s.head(s.blocks(x)[:, :, -1]), blocks=blocks, head=nn.Linear(channels, 5))


@network(1, 1000)
def heart_resnet():
    sizes = (16, 16, 32, 48, 64)
    return mean_and_linear(nn.Sequential(conv1(1, 16, 15, 2), *[residual1(i, o, 2, 15) for i, o in zip(sizes, sizes[1:])]), 64, 5)


@network(40, 101)
def tc_resnet8():
    sizes = (16, 24, 32, 48)
    first = nn.Conv1d(40, 16, 3, padding=1, bias=False)
    return mean_and_linear(nn.Sequential(first, *[residual1(i, o, 2, 9) for i, o in zip(sizes, sizes[1:])]), 48, 12)


@network(40, 98)
def ds_keywords():
    blocks = [layer for _ in range(4) for layer in (conv1(64, 64, 9, groups=64), conv1(64, 64, 1))]
    return mean_and_linear(nn.Sequential(conv1(40, 64, 9, 2), *blocks), 64, 12)


@network(9, 128)
def deep_conv_lstm():
    layers = []
    for i, pool in ((9, False), (64, True), (64, True)):
        layers += [nn.Conv1d(i, 64, 5), nn.ReLU()] + ([nn.MaxPool1d(2)] if pool else [])
    return Chain(lambda s, x: s.head(s.lstm(s.body(x).transpose(1, 2))[0][:, -1]), body=nn.Sequential(*layers), lstm=nn.LSTM(64, 128, batch_first=True),
                 head=nn.Linear(128, 6))


@network(1, 4000)
def conv_tasnet():
    def block(dilation):
        return nn.Sequential(nn.Conv1d(32, 64, 1), nn.PReLU(), nn.GroupNorm(1, 64), nn.Conv1d(64, 64, 3, padding=dilation, dilation=dilation, groups=64),
                             nn.PReLU(), nn.GroupNorm(1, 64), nn.Conv1d(64, 32, 1))

    def separate(s, x):
        frames = F.relu(s.encoder(x))
        y = s.first(frames)
        for b in s.blocks:
            y = y + b(y)
        return s.decoder(frames * torch.sigmoid(s.mask(y)))

    return Chain(separate, encoder=nn.Conv1d(1, 64, 16, 8, bias=False), first=nn.Sequential(nn.GroupNorm(1, 64), nn.Conv1d(64, 32, 1)),
                 blocks=nn.ModuleList([block(2**i) for i in range(5)]), mask=nn.Conv1d(32, 64, 1), decoder=nn.ConvTranspose1d(64, 1, 16, 8, bias=False))


@network(3, 256)
def inception_time(n=32):
    def module(i):
        def forward(s, x):
            y = s.narrow(x)
            return F.relu(s.norm(torch.cat([s.a(y), s.b(y), s.c(y), s.pooled(F.max_pool1d(x, 3, 1, 1))], 1)))

        kernels = {name: nn.Conv1d(n, n, k, padding=k // 2, bias=False) for name, k in (("a", 39), ("b", 19), ("c", 9))}
        return Chain(forward, narrow=nn.Conv1d(i, n, 1, bias=False), pooled=nn.Conv1d(i, n, 1, bias=False), norm=nn.BatchNorm1d(4 * n), **kernels)

    return mean_and_linear(nn.Sequential(module(3), module(4 * n), module(4 * n)), 4 * n, 8)


@network(1, 1024)
def unet_of_signals():
    def forward(s, x):
        a = s.down1(x)
        b = s.down2(a)
        y = s.join1(torch.cat([s.up1(s.down3(b)), b], 1))
        return s.out(s.join2(torch.cat([s.up2(y), a], 1)))

    return Chain(forward, down1=conv1(1, 16, 9), down2=conv1(16, 32, 9, 2), down3=conv1(32, 64, 9, 2), up1=nn.ConvTranspose1d(64, 32, 4, 2, 1),
                 join1=conv1(64, 32, 9), up2=nn.ConvTranspose1d(32, 16, 4, 2, 1), join2=conv1(32, 16, 9), out=nn.Conv1d(16, 1, 1))


@network(1, 512)
def vibration_autoencoder():
    layers = []
    for i, o in ((1, 8), (8, 16), (16, 32)):
        layers += [nn.Conv1d(i, o, 7, 2, 3), nn.LeakyReLU(0.1)]
    for i, o in ((32, 16), (16, 8), (8, 1)):
        layers += [nn.ConvTranspose1d(i, o, 8, 2, 3), nn.LeakyReLU(0.1)]
    return nn.Sequential(*layers[:-1])


@network(1, 28, 28)
def lenet():
    body = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    return nn.Sequential(*body, nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


@network(1, 28, 28)
def mnist_example():
    body = [nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    return nn.Sequential(*body, nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10), nn.LogSoftmax(1))


@network(3, 32, 32)
def cifar_vgg():
    layers = []
    for i, o in ((3, 32), (32, 64), (64, 128)):
        layers += [conv2(i, o, 3), conv2(o, o, 3), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(2048, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 10))


@network(1, 32, 128)
def crnn():
    def conv(i, o, k=3, padding=1):
        return nn.Sequential(nn.Conv2d(i, o, k, padding=padding), nn.ReLU())

    body = [conv(1, 32), nn.MaxPool2d(2), conv(32, 64), nn.MaxPool2d(2), conv(64, 128), nn.BatchNorm2d(128), conv(128, 128)]
    body += [nn.MaxPool2d((2, 2), (2, 1), (0, 1)), conv(128, 128), nn.MaxPool2d((2, 2), (2, 1), (0, 1)), conv(128, 128, 2, 0)]
    return Chain(lambda s, x: s.head(s.lstm(s.body(x).squeeze(2).permute(0, 2, 1))[0]), body=nn.Sequential(*body),
                 lstm=nn.LSTM(128, 96, bidirectional=True, num_layers=2, batch_first=True), head=nn.Linear(192, 37))


@network(3, 96, 96)
def resnet():
    stem = [conv2(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    blocks = [residual2(i, o, stride) for i, o, stride in ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1))]
    return mean_and_linear(nn.Sequential(*stem, *blocks), 256, 100)


@network(1, 64, 64)
def sound_events():
    def forward(s, x):
        y = s.body(x)
        batch, channels, frames, bands = y.shape
        return torch.sigmoid(s.head(s.gru(y.permute(0, 2, 1, 3).reshape(batch, frames, channels * bands))[0]))

    body = [layer for i, o in ((1, 16), (16, 32), (32, 64)) for layer in (conv2(i, o, 3), nn.AvgPool2d(2))]
    return Chain(forward, body=nn.Sequential(*body), gru=nn.GRU(512, 64, batch_first=True, bidirectional=True), head=nn.Linear(128, 10))


@network(1, 22, 256)
def eegnet():
    time = [nn.Conv2d(1, 8, (1, 64), padding=(0, 32), bias=False), nn.BatchNorm2d(8)]
    space = [nn.Conv2d(8, 16, (22, 1), groups=8, bias=False), nn.BatchNorm2d(16), nn.ELU(), nn.AvgPool2d((1, 4))]
    separable = [nn.Conv2d(16, 16, (1, 16), padding=(0, 8), groups=16, bias=False), nn.Conv2d(16, 16, 1, bias=False), nn.BatchNorm2d(16), nn.ELU()]
    return nn.Sequential(*time, *space, *separable, nn.AvgPool2d((1, 8)), nn.Flatten(), nn.Linear(128, 4))


@network(1, 64, 64)
def unet():
    def double(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU())

    def forward(s, x):
        a = s.down1(x)
        b = s.down2(F.max_pool2d(a, 2))
        y = s.join1(torch.cat([s.up1(s.down3(F.max_pool2d(b, 2))), b], 1))
        return torch.sigmoid(s.out(s.join2(torch.cat([s.up2(y), a], 1))))

    return Chain(forward, down1=double(1, 16), down2=double(16, 32), down3=double(32, 64), up1=nn.ConvTranspose2d(64, 32, 2, 2), join1=double(64, 32),
                 up2=nn.ConvTranspose2d(32, 16, 2, 2), join2=double(32, 16), out=nn.Conv2d(16, 1, 1))


@network(3, 96, 96)
def squeezenet():
    def fire(i, squeeze, expand):
        def forward(s, x):
            y = F.relu(s.squeeze(x))
            return torch.cat([F.relu(s.one(y)), F.relu(s.three(y))], 1)

        return Chain(forward, squeeze=nn.Conv2d(i, squeeze, 1), one=nn.Conv2d(squeeze, expand, 1), three=nn.Conv2d(squeeze, expand, 3, padding=1))

    layers = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True), fire(64, 16, 64), fire(128, 16, 64)]
    layers += [nn.MaxPool2d(3, 2, ceil_mode=True), fire(128, 32, 128), fire(256, 32, 128), nn.Conv2d(256, 20, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Flatten())


@network(3, 96, 96)
def shufflenet():
    def unit(c):
        def forward(s, x):
            left, right = x.chunk(2, 1)
            y = torch.cat([left, s.branch(right)], 1)
            n, channels, h, w = y.shape
            return y.view(n, 2, channels // 2, h, w).transpose(1, 2).reshape(n, channels, h, w)

        half = c // 2
        return Chain(forward, branch=nn.Sequential(conv2(half, half, 1), conv2(half, half, 3, 1, half, False), conv2(half, half, 1)))

    stem = [conv2(3, 24, 3, 2), nn.MaxPool2d(3, 2, 1), conv2(24, 48, 1)]
    return mean_and_linear(nn.Sequential(*stem, unit(48), unit(48), unit(48), conv2(48, 96, 3, 2), unit(96), unit(96)), 96, 10)


def randomize_norms(model):
    """As training leaves them: not the identity, which exporters leave out."""
    for m in model.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.5, 1.5)
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.normal_(0, 0.1)


def export(folder, name):
    torch.manual_seed(0)
    make, shape = NETWORKS[name]
    model = make()
    randomize_norms(model)
    model.eval()
    x = torch.randn(2, *shape)
    names = {"input_names": ["x"], "output_names": ["y"]}
    with torch.no_grad():
        torch.onnx.export(model, (x,), folder / f"torch_{name}_ts.onnx", dynamic_axes={"x": {0: "batch"}}, opset_version=17, dynamo=False, **names)
        torch.onnx.export(model, (x,), folder / f"torch_{name}_dy.onnx", dynamic_shapes=({0: torch.export.Dim("batch")},), dynamo=True, external_data=False,
                          verbose=False, **names)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        export(folder, name)
        print(name, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
