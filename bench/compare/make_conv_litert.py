"""make_conv_litert.py WORKDIR: the networks of conv_nets.py as WORKDIR/NAME.int8.tflite, in the environment of requirements_litert.txt.

Weights int8 per channel, activations int8 with ranges of 16 random inputs: speed and memory only. Images come channels last, as LiteRT wants them."""
import os
import sys

import litert_torch
import numpy
import torch
from ai_edge_quantizer import quantizer, recipe

from conv_nets import missing_nets


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for target, net, shape in missing_nets(sys.argv[1], ".int8.tflite"):
        if len(shape) == 4:
            net, shape = litert_torch.to_channel_last_io(net, args=[0]), (shape[0], *shape[2:], shape[1])
        fp32, unfinished = target + ".fp32", target + ".part"
        litert_torch.convert(net, (torch.randn(shape),)).export(fp32)
        quantization = quantizer.Quantizer(fp32)
        quantization.load_quantization_recipe(recipe.static_wi8_ai8())
        draw = numpy.random.default_rng(7)
        samples = [{"args_0": draw.standard_normal(shape, dtype=numpy.float32)} for _ in range(16)]
        ranges = quantization.calibrate({"serving_default": samples})
        quantization.quantize(ranges).export_model(unfinished)
        os.remove(fp32)
        os.replace(unfinished, target)
        print(f"made {target}", flush=True)


if __name__ == "__main__":
    main()
