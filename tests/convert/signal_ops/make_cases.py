#!/usr/bin/env python3
"""Cases of the operators of sound and images that ONNX's own tests have few of, in the form of those tests: transforms, windows and
transposed convolutions, with constants as models have them and with named dims.

    make_cases.py FOLDER

The results are those of the reference implementation of the onnx package for DFT and STFT, which computes them in float64, and those of ONNX
Runtime for everything else. They are stored in data/; convert_signal_ops_test runs them. Results must agree within 1e-5 of the largest
magnitude. A case has a set of data for each size of its dims.
"""
import pathlib
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 3
ROOT = pathlib.Path(sys.argv[1])
f32, i64 = np.float32, np.int64
rng = np.random.default_rng(16)


def floats(*shape):
    return rng.standard_normal(shape).astype(f32)


def by_runtime(model, feeds):
    return onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"]).run(None, feeds)


def by_reference(model, feeds):
    return ReferenceEvaluator(model).run(None, feeds)


def write(name, nodes, inputs, sets, constants=(), how=by_runtime, opset=17, tolerance=1e-5):
    """inputs: name -> shape with named dims; sets: feeds; constants: name -> array. The last node's first output is the result."""
    output = nodes[-1].output[0]
    values = [helper.make_tensor_value_info(k, TensorProto.FLOAT, shape) for k, shape in inputs.items()]
    initializers = [numpy_helper.from_array(np.asarray(v), k) for k, v in dict(constants).items()]

    def model(result):
        m = helper.make_model(helper.make_graph(nodes, name, values, [result], initializers), opset_imports=[helper.make_opsetid("", opset)])
        m.ir_version = 8
        return m

    results = [how(model(helper.make_tensor_value_info(output, TensorProto.FLOAT, None)), feeds)[0] for feeds in sets]
    folder = ROOT / name
    sizes = [results[0].shape[i] if len({r.shape[i] for r in results}) == 1 else None for i in range(results[0].ndim)]
    largest = 0.0
    for i, (feeds, result) in enumerate(zip(sets, results)):
        data = folder / f"test_data_set_{i}"
        data.mkdir(parents=True)
        for k, key in enumerate(inputs):
            (data / f"input_{k}.pb").write_bytes(numpy_helper.from_array(feeds[key], key).SerializeToString())
        (data / "output_0.pb").write_bytes(numpy_helper.from_array(result.astype(f32), output).SerializeToString())
        largest = max(largest, float(np.abs(result).max()))
    (folder / "model.onnx").write_bytes(model(helper.make_tensor_value_info(output, TensorProto.FLOAT, sizes)).SerializeToString())
    (folder / "tolerance").write_text(f"{tolerance} {tolerance * largest}\n")


def node(op, inputs, output="y", **attributes):
    return helper.make_node(op, inputs, [output], **attributes)


def signals(shape, **sizes):
    """A set of data for every value of the one named dim."""
    (dim, values), = sizes.items()
    return [{"x": floats(*[v if d == dim else d for d in shape])} for v in values]


# --- DFT
def dft(name, shape, sets, length=None, opset=17, axis=None, **attributes):
    constants, inputs = {}, ["x"]
    if length is not None:
        constants["length"] = np.array(length, i64)
        inputs.append("length")
    if opset >= 20:
        if axis is not None:
            constants["axis"] = np.array(axis, i64)
            inputs += [""] * (2 - len(inputs)) + ["axis"]
    elif axis is not None:
        attributes["axis"] = axis
    write("dft_" + name, [node("DFT", inputs, **attributes)], {"x": shape}, sets, constants, by_reference, opset)


one = lambda *shape: [{"x": floats(*shape)}]
dft("real", [2, 16, 1], one(2, 16, 1))
dft("real_onesided_odd", [2, 15, 1], one(2, 15, 1), onesided=1)
dft("complex_inverse", [2, 12, 2], one(2, 12, 2), inverse=1)
dft("complex_middle_axis", [2, 6, 5, 2], one(2, 6, 5, 2), axis=1)
dft("axis_0_of_a_vector", [10, 2], one(10, 2), axis=0)
dft("longer_than_the_signal", [2, 9, 1], one(2, 9, 1), length=16, onesided=1)
dft("shorter_than_the_signal", [2, 9, 2], one(2, 9, 2), length=6)
dft("constant_length_of_a_dim", ["batch", "time", 1], [{"x": floats(2, t, 1)} for t in (5, 20)], length=12, onesided=1)
dft("length_is_a_dim", ["batch", "time", 1], [{"x": floats(2, t, 1)} for t in (8, 13)])
dft("length_is_a_dim_onesided", ["batch", "time", 1], [{"x": floats(2, t, 1)} for t in (8, 13)], onesided=1)
dft("length_is_a_dim_inner", ["batch", "time", 4, 2], [{"x": floats(2, t, 4, 2)} for t in (8, 13)], inverse=1)
dft("opset_20_default_axis", [2, 3, 8, 1], one(2, 3, 8, 1), opset=20)
dft("opset_20_first_axis", [6, 3, 2], one(6, 3, 2), opset=20, axis=-3, inverse=1)
dft("real_inverse", [2, 9, 2], one(2, 9, 2), opset=20, inverse=1, onesided=1)
dft("real_inverse_odd", [2, 9, 2], one(2, 9, 2), length=17, opset=20, inverse=1, onesided=1)
dft("real_inverse_of_a_dim", ["batch", "bins", 2], [{"x": floats(2, k, 2)} for k in (5, 8)], opset=20, inverse=1, onesided=1)
dft("divided", [1, 2048, 1], one(1, 2048, 1), onesided=1)
dft("divided_real_inverse", [1, 1051, 2], one(1, 1051, 2), opset=20, inverse=1, onesided=1)

# Token mixing as exporters write it: real numbers are made complex, transformed along both axes, and the real part is read.
zeros = node("ConstantOfShape", ["shape"], "zeros", value=numpy_helper.from_array(np.zeros(1, f32)))
mixing = [node("Unsqueeze", ["x", "last"], "re"), node("Shape", ["re"], "shape"), zeros, node("Concat", ["re", "zeros"], "c", axis=-1)]
mixing += [node("DFT", ["c"], "h", axis=2), node("DFT", ["h"], "s", axis=1), node("Gather", ["s", "first"], axis=-1)]
for name, shape, lengths in (("fixed", [2, 12, 8], (12,)), ("named_sequence", ["batch", "sequence", 8], (3, 12))):
    write("token_mixing_" + name, mixing, {"x": shape}, [{"x": floats(2, n, 8)} for n in lengths],
          {"last": np.array([-1], i64), "first": np.array(0, i64)}, by_reference)


# --- STFT
def stft(name, shape, sets, step, window=None, length=None, after=(), **attributes):
    constants = {"step": np.array(step, i64)}
    inputs = ["x", "step", "", ""]
    if window is not None:
        constants["window"], inputs[2] = window, "window"
    if length is not None:
        constants["length"], inputs[3] = np.array(length, i64), "length"
    while inputs[-1] == "":
        inputs.pop()
    nodes = [node("STFT", inputs, "y" if not after else "spectrum", **attributes), *after]
    write("stft_" + name, nodes, {"x": shape}, sets, constants, by_reference)


hann = lambda n: (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)).astype(f32)
stft("window", [2, 100, 1], one(2, 100, 1), 8, window=hann(16))
stft("frame_length", [2, 100, 1], one(2, 100, 1), 8, length=20)
stft("both_odd", [1, 64, 1], one(1, 64, 1), 5, window=hann(15), length=15)
stft("twosided", [1, 64, 1], one(1, 64, 1), 4, window=hann(12), onesided=0)
stft("complex", [2, 50, 2], one(2, 50, 2), 6, window=hann(10), onesided=0)
stft("frames_that_touch", [2, 48, 1], one(2, 48, 1), 12, window=hann(12))
stft("gaps_between_frames", [2, 50, 1], one(2, 50, 1), 14, window=hann(6))
stft("named_length", ["batch", "samples", 1], signals([2, "samples", 1], samples=(16, 100)), 8, window=hann(16))
stft("named_length_odd_step", ["batch", "samples", 1], signals([2, "samples", 1], samples=(31, 90)), 7, window=hann(16))
stft("divided", [1, 6000, 1], one(1, 6000, 1), 1024, window=hann(2048))
one_frame = [{"x": floats(2, 24, 1)}]
stft("whole_signal", [2, 24, 1], one_frame, 4)
power = [node("Transpose", ["spectrum"], "t", perm=[0, 2, 1, 3]), node("ReduceL2", ["t"], "a", axes=[-1], keepdims=0), node("Mul", ["a", "a"], "p"),
         node("MatMul", ["mel", "p"], "m"), node("Max", ["m", "least"], "l"), node("Log", ["l"])]
constants = {"step": np.array(160, i64), "window": hann(400), "mel": np.abs(rng.standard_normal((10, 201))).astype(f32),
             "least": np.array(1e-6, f32)}
write("log_mel_front", [node("STFT", ["x", "step", "window"], "spectrum"), *power], {"x": ["batch", "samples", 1]},
      [{"x": floats(1, n, 1)} for n in (720, 1600)], constants, by_reference)
# What the window is made of may be computed while converting.
made = [node("HannWindow", ["size"], "w", periodic=1), node("STFT", ["x", "step", "w"])]
write("stft_made_window", made, {"x": [1, 80, 1]}, one(1, 80, 1), {"size": np.array(16, i64), "step": np.array(8, i64)}, by_reference)
# A window over all of a signal of named length.
for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    for periodic in (0, 1):
        over = [node("Shape", ["x"], "shape"), node("Gather", ["shape", "one"], "size"), node(op, ["size"], "w", periodic=periodic),
                node("Mul", ["x", "w"])]
        write(f"{op.lower()}_of_a_dim_{'periodic' if periodic else 'symmetric'}", over, {"x": ["batch", "samples"]},
              signals([2, "samples"], samples=(2, 50)), {"one": np.array(1, i64)})


# --- ConvTranspose
def transposed(name, shape, weights, sets=None, bias=True, **attributes):
    constants, inputs = {"w": floats(*weights)}, ["x", "w"]
    if bias:
        constants["b"] = floats(weights[1] * attributes.get("group", 1))
        inputs.append("b")
    write("conv_transpose_" + name, [node("ConvTranspose", inputs, **attributes)], {"x": shape}, sets or one(*shape), constants)


transposed("1d", [2, 4, 7], [4, 6, 3])
transposed("1d_stride", [2, 4, 7], [4, 6, 4], strides=[2], pads=[1, 1])
transposed("1d_stride_longer_than_the_kernel", [1, 3, 5], [3, 2, 2], strides=[3])
transposed("1d_vocoder", ["batch", 8, "time"], [8, 4, 16], [{"x": floats(b, 8, t)} for b, t in ((1, 1), (2, 9))], strides=[8], pads=[4, 4])
transposed("1d_output_padding", ["batch", 4, "time"], [4, 4, 3], [{"x": floats(2, 4, t)} for t in (1, 6)], strides=[2], pads=[1, 1],
           output_padding=[1])
transposed("1d_large_pads", [1, 3, 9], [3, 2, 7], strides=[2], pads=[6, 3])
transposed("1d_dilated", [1, 3, 9], [3, 2, 3], strides=[2], dilations=[3], pads=[2, 0])
transposed("1d_groups", [2, 6, 5], [6, 2, 4], strides=[2], pads=[1, 1], group=3)
transposed("1d_depthwise", [2, 5, 6], [5, 1, 4], strides=[2], pads=[1, 1], group=5)
transposed("2d", [2, 3, 4, 5], [3, 4, 2, 2], strides=[2, 2])
transposed("2d_overlapping", ["batch", 3, "height", "width"], [3, 4, 4, 4], [{"x": floats(1, 3, h, w)} for h, w in ((1, 2), (4, 3))],
           strides=[2, 2], pads=[1, 1, 1, 1], bias=False)
transposed("2d_mixed", [1, 3, 4, 5], [3, 2, 3, 4], strides=[1, 3], pads=[1, 0, 1, 2], output_padding=[0, 1], dilations=[2, 1])
transposed("2d_depthwise", [1, 4, 3, 5], [4, 1, 4, 4], strides=[2, 2], pads=[1, 1, 1, 1], group=4, bias=False)
transposed("2d_groups", [1, 4, 3, 5], [4, 3, 3, 3], strides=[2, 1], group=2)
transposed("3d", [1, 2, 3, 2, 3], [2, 3, 2, 3, 2], strides=[2, 1, 2])
transposed("same_upper", [1, 3, 6], [3, 2, 4], strides=[3], auto_pad="SAME_UPPER")
transposed("same_lower", ["batch", 3, "time"], [3, 2, 6], [{"x": floats(1, 3, t)} for t in (2, 6)], strides=[3], auto_pad="SAME_LOWER")
transposed("same_but_shorter", [1, 3, 6], [3, 2, 2], strides=[4], auto_pad="SAME_UPPER")
transposed("output_shape", [1, 3, 6], [3, 2, 4], strides=[3], output_shape=[17])
transposed("output_shape_beyond", [1, 3, 6], [3, 2, 3], strides=[3], output_shape=[20])
layers = [node("ConvTranspose", ["x", "w"], "u", strides=[2], pads=[1, 1]), node("LeakyRelu", ["u"], "a", alpha=0.1),
          node("Conv", ["a", "v"], "c", pads=[1, 1]), node("Add", ["c", "a"], "d"), node("ConvTranspose", ["d", "w2"], "e", strides=[4]),
          node("Tanh", ["e"])]
write("vocoder_blocks", layers, {"x": ["batch", 8, "time"]}, [{"x": floats(1, 8, t)} for t in (2, 7)],
      {"w": 0.3 * floats(8, 8, 4), "v": 0.3 * floats(8, 8, 3), "w2": 0.3 * floats(8, 1, 8)})
