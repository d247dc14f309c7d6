#!/usr/bin/env python3
"""Cases of ONNX Runtime's own operators (com.microsoft), in the form of ONNX's backend tests, with what ONNX Runtime gives for them.

    make_cases.py FOLDER

The results are stored in data/; convert_contrib_ops_test runs them. Float results must agree within 1e-4 of the largest magnitude,
results that go through activations quantized by ONNX Runtime (which edgeconv computes in fp32) within the step of that quantization,
quantized results within one step.
"""
import pathlib
import shutil
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 3
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
ROOT = pathlib.Path(sys.argv[1])
f32, i32, i64, u8, i8 = np.float32, np.int32, np.int64, np.uint8, np.int8
rng = np.random.default_rng(4)
written = set()


def floats(*shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(f32)


def codes(*shape, dtype=u8):
    info = np.iinfo(dtype)
    return rng.integers(info.min + (dtype == i8), info.max + 1, shape).astype(dtype)


class Fixed:
    """An operand that the file holds as initializer."""

    def __init__(self, array):
        self.array = np.asarray(array)


def scale(v=0.02):
    return Fixed(np.asarray(v, f32))


def zero(v=128, dtype=u8):
    return Fixed(np.asarray(v, dtype))


def run(model, feeds):
    return onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"]).run(None, feeds)


def write(name, nodes, operands, outputs, tolerance, expected=None):
    inputs, initializers, feeds = [], [], {}
    for key, v in operands.items():
        if isinstance(v, Fixed):
            initializers.append(numpy_helper.from_array(v.array, key))
        else:
            inputs.append(helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape))
            feeds[key] = v
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]

    def model(values):
        m = helper.make_model(helper.make_graph(nodes, name, inputs, values, initializers), opset_imports=imports)
        m.ir_version = 8
        return m

    results = expected or run(model([helper.make_empty_tensor_value_info(o) for o in outputs]), feeds)
    final = model([helper.make_tensor_value_info(o, helper.np_dtype_to_tensor_dtype(r.dtype), r.shape) for o, r in zip(outputs, results)])
    folder = ROOT / name
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(final.SerializeToString())
    for i, (key, v) in enumerate(feeds.items()):
        (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(v, key).SerializeToString())
    for i, (key, v) in enumerate(zip(outputs, results)):
        (data / f"output_{i}.pb").write_bytes(numpy_helper.from_array(v, key).SerializeToString())
    largest = max((float(np.abs(r).max()) for r in results if r.dtype == f32 and r.size), default=0.0)
    if tolerance is None:
        tolerance = 1.0 if any(r.dtype in (u8, i8) for r in results) else 1e-4 * largest
    elif tolerance < 1:
        tolerance *= largest
    (folder / "tolerance").write_text(f"0 {tolerance:.3g}\n")
    written.add(nodes[-1].op_type)


def case(name, op, operands, outputs=1, tolerance=None, expected=None, **attributes):
    """operands: in the order of the operator's inputs; None is an absent one. tolerance: a part of the largest magnitude. expected: the
    results of an operator that ONNX Runtime has no kernel for on CPUs."""
    named = {f"x{i}": v for i, v in enumerate(operands) if v is not None}
    names = [f"x{i}" if v is not None else "" for i, v in enumerate(operands)]
    outs = [f"y{i}" for i in range(outputs)]
    write(name, [helper.make_node(op, names, outs, name="node", domain="com.microsoft", **attributes)], named, outs, tolerance, expected)


STEP = 2e-2  # of a quantization of activations to 8 bits


def attention():
    b, s, h, n = 2, 6, 16, 4
    weight, bias = Fixed(floats(h, 3 * h, scale=0.3)), Fixed(floats(3 * h, scale=0.2))
    mask = np.asarray([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], i32)
    case("attention_mask", "Attention", [floats(b, s, h), weight, bias, mask], num_heads=n)
    case("attention_count", "Attention", [floats(b, s, h), weight, bias, np.asarray([3, 6], i32)], num_heads=n)
    case("attention_mask_of_queries", "Attention", [floats(b, s, h), weight, bias, np.tile(mask[:, None, :], (1, s, 1))], num_heads=n)
    case("attention_causal_bias", "Attention", [floats(b, s, h), weight, bias, None, None, floats(b, n, s, s)], num_heads=n, unidirectional=1)
    case("attention_sizes", "Attention", [floats(b, s, h), Fixed(floats(h, 8 + 8 + 24, scale=0.3)), Fixed(floats(40))], num_heads=2,
         qkv_hidden_sizes=[8, 8, 24])
    q, k, v = floats(b, s, h), floats(b, 5, h), floats(b, 5, h)
    case("multi_head_attention", "MultiHeadAttention", [q, k, v, Fixed(floats(3 * h))], num_heads=n)
    case("multi_head_attention_mask", "MultiHeadAttention", [q, k, v, None, np.asarray([[1, 1, 1, 0, 0], [1] * 5], i32)], num_heads=n, scale=0.3)
    case("multi_head_attention_bias", "MultiHeadAttention", [q, k, v, None, None, floats(b, n, s, 5)], num_heads=n)
    case("qattention", "QAttention", [codes(b, s, h), Fixed(codes(h, 3 * h, dtype=i8)), bias, scale(), scale(0.004), mask, zero(120), zero(0, i8)],
         num_heads=n)


def grouped():
    b, s, d = 2, 6, 16
    heads, kv = 4, 2
    lengths = np.asarray([s - 1, s - 1], i32)
    total = Fixed(np.asarray(s, i32))
    q, k, v = floats(b, s, heads * d), floats(b, s, kv * d), floats(b, s, kv * d)
    cos, sin = Fixed(np.cos(floats(16, d // 2))), Fixed(np.sin(floats(16, d // 2)))
    case("grouped_query", "GroupQueryAttention", [q, k, v, None, None, lengths, total], outputs=1, num_heads=heads, kv_num_heads=kv)
    case("grouped_query_packed", "GroupQueryAttention", [floats(b, s, (heads + 2 * kv) * d), None, None, None, None, lengths, total],
         num_heads=heads, kv_num_heads=kv)
    case("grouped_query_rotary", "GroupQueryAttention", [q, k, v, None, None, lengths, total, cos, sin], num_heads=heads, kv_num_heads=kv,
         do_rotary=1)
    case("grouped_query_interleaved", "GroupQueryAttention", [q, k, v, None, None, lengths, total, cos, sin], num_heads=heads,
         kv_num_heads=kv, do_rotary=1, rotary_interleaved=1)
    case("grouped_query_half_rotary", "GroupQueryAttention", [floats(b, s, heads * 32), floats(b, s, kv * 32), floats(b, s, kv * 32), None,
         None, lengths, total, Fixed(np.cos(floats(16, 8))), Fixed(np.sin(floats(16, 8)))], num_heads=heads, kv_num_heads=kv, do_rotary=1)
    case("grouped_query_window", "GroupQueryAttention", [q, k, v, None, None, lengths, total], num_heads=heads, kv_num_heads=kv,
         local_window_size=2)
    case("grouped_query_softcap", "GroupQueryAttention", [q, k, v, None, None, lengths, total], num_heads=heads, kv_num_heads=kv,
         softcap=2.0, scale=0.5)


def norms():
    x, skip = floats(2, 5, 16), floats(2, 5, 16)
    gamma, beta, bias = Fixed(floats(16)), Fixed(floats(16)), Fixed(floats(16))
    case("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta, bias], epsilon=1e-5)
    case("skip_simplified_layer_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], epsilon=1e-5)
    ids, types = rng.integers(0, 30, (2, 5)).astype(i32), rng.integers(0, 2, (2, 5)).astype(i32)
    tables = [Fixed(floats(30, 16)), Fixed(floats(12, 16)), Fixed(floats(2, 16))]
    mask = np.asarray([[1, 1, 1, 0, 0], [1] * 5], i32)
    case("embed_layer_norm", "EmbedLayerNormalization", [ids, types, *tables, gamma, beta, mask], outputs=2, epsilon=1e-5)
    case("embed_layer_norm_positions", "EmbedLayerNormalization", [ids, None, tables[0], tables[1], None, gamma, beta, mask,
         rng.integers(0, 12, (2, 5)).astype(i32)], outputs=2, epsilon=1e-5)
    q = lambda rows: Fixed(codes(rows, 16))
    scales, zeros = [scale(0.02)] * 5, [zero(120)] * 5
    one = lambda: Fixed(codes(16))
    case("qembed_layer_norm", "QEmbedLayerNormalization", [ids, types, q(30), q(12), q(2), one(), one(), mask, *scales, *zeros], outputs=2,
         epsilon=1e-5)


def activations():
    x = floats(3, 40, scale=2)
    case("bias_gelu", "BiasGelu", [x, Fixed(floats(40))])
    case("fast_gelu", "FastGelu", [x])
    case("fast_gelu_bias", "FastGelu", [x, Fixed(floats(40))])
    case("gelu", "Gelu", [x])
    case("quick_gelu", "QuickGelu", [x], alpha=1.7)


def products():
    x, w = floats(3, 8), Fixed(floats(8, 5))
    case("fused_gemm_relu", "FusedGemm", [x, w, Fixed(floats(5))], activation="Relu")
    case("fused_gemm_leaky", "FusedGemm", [x, Fixed(floats(5, 8)), Fixed(floats(5))], activation="LeakyRelu", activation_alpha=0.2, transB=1, alpha=0.5)
    case("fused_matmul", "FusedMatMul", [floats(2, 3, 8), floats(2, 5, 8)], alpha=0.25, transB=1)
    case("transpose_matmul", "TransposeMatMul", [floats(2, 8, 3), floats(2, 8, 5)], transA=1)
    case("matmul_nbits", "MatMulNBits", [floats(2, 32), Fixed(codes(6, 2, 8)), Fixed(np.abs(floats(12)))], K=32, N=6, bits=4, block_size=16)
    case("matmul_nbits_zero_points", "MatMulNBits", [floats(2, 32), Fixed(codes(6, 2, 8)), Fixed(np.abs(floats(12))), Fixed(codes(6))], K=32,
         N=6, bits=4, block_size=16)
    wq = Fixed(codes(8, 5, dtype=i8))
    case("dynamic_quantize_matmul", "DynamicQuantizeMatMul", [x, wq, scale(0.01), zero(0, i8), Fixed(floats(5))], tolerance=STEP)
    case("matmul_integer_to_float", "MatMulIntegerToFloat", [codes(3, 8), wq, scale(0.02), scale(0.01), zero(120), zero(0, i8), Fixed(floats(5))])
    case("qgemm", "QGemm", [codes(3, 8), scale(0.02), zero(120), Fixed(codes(8, 5)), scale(0.01), zero(130), Fixed(rng.integers(-2000, 2000, 5).astype(i32)),
         scale(0.05), zero(100)])
    case("qgemm_float", "QGemm", [codes(3, 8), scale(0.02), zero(120), Fixed(codes(5, 8)), scale(0.01), zero(130)], transB=1)


def quantized():
    x = codes(2, 3, 6, 6)
    case("qlinear_add", "QLinearAdd", [codes(2, 6), scale(), zero(), codes(2, 6), scale(0.03), zero(100), scale(0.05), zero()])
    case("qlinear_mul", "QLinearMul", [codes(2, 6), scale(), zero(), codes(6), scale(0.03), zero(100), scale(0.05), zero()])
    case("qlinear_concat", "QLinearConcat", [scale(0.04), zero(), codes(2, 3), scale(), zero(), codes(2, 4), scale(0.05), zero(100)], axis=1)
    case("qlinear_average_pool", "QLinearAveragePool", [x, scale(), zero(), scale(0.015), zero(100)], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    case("qlinear_average_pool_last", "QLinearAveragePool", [codes(2, 6, 6, 3), scale(), zero(), scale(0.015), zero(100)], kernel_shape=[2, 2],
         channels_last=1, count_include_pad=1, pads=[1, 1, 1, 1])
    case("qlinear_global_average_pool", "QLinearGlobalAveragePool", [x, scale(), zero(), scale(0.005), zero()])
    case("qlinear_leaky_relu", "QLinearLeakyRelu", [x, scale(), zero(), scale(0.03), zero(60)], alpha=0.2)
    case("qlinear_sigmoid", "QLinearSigmoid", [x, scale(), zero(), scale(1 / 256), zero(0)])
    case("qlinear_softmax", "QLinearSoftmax", [codes(2, 9), scale(), zero(), scale(1 / 256), zero(0)], axis=1, opset=13)
    case("qlinear_where", "QLinearWhere", [rng.random((2, 6)) < 0.5, codes(2, 6), scale(), zero(), codes(2, 6), scale(0.03), zero(100), scale(0.04), zero()])
    case("quantize_linear", "QuantizeLinear", [floats(2, 6), scale(), zero()])
    case("dequantize_linear", "DequantizeLinear", [codes(2, 6), scale(), zero()])
    case("dequantize_linear_axis", "DequantizeLinear", [codes(2, 3, 4), Fixed(np.asarray([0.1, 0.2, 0.3], f32)), Fixed(np.asarray([1, 128, 200], u8))], axis=1)


def recurrent():
    hidden, size = 6, 5
    w, r, b = codes(1, size, 4 * hidden, dtype=i8), codes(1, hidden, 4 * hidden, dtype=i8), floats(1, 8 * hidden, scale=0.2)
    per = lambda v: Fixed(np.asarray([v], f32))
    z = Fixed(np.asarray([0], i8))
    case("dynamic_quantize_lstm", "DynamicQuantizeLSTM", [floats(7, 2, size), Fixed(w), Fixed(r), Fixed(b), None, None, None, None, per(0.004), z,
         per(0.004), z], outputs=3, tolerance=STEP, hidden_size=hidden)


def rotary():
    d = 8
    cos, sin = Fixed(np.cos(floats(16, d // 2))), Fixed(np.sin(floats(16, d // 2)))
    ids = rng.integers(0, 16, (2, 5)).astype(i64)
    case("rotary", "RotaryEmbedding", [floats(2, 5, 3 * d), ids, cos, sin])
    case("rotary_interleaved", "RotaryEmbedding", [floats(2, 3, 5, d), ids, cos, sin], interleaved=1)
    case("rotary_offset", "RotaryEmbedding", [floats(2, 5, 3 * d), Fixed(np.asarray([3], i64)), cos, sin])


def t5_bucket(relative, buckets, most, both):
    """As T5 computes it."""
    bucket, n = 0, buckets
    if both:
        n //= 2
        bucket = n if relative > 0 else 0
        distance = abs(relative)
    else:
        distance = max(-relative, 0)
    exact = n // 2
    if distance < exact:
        return bucket + distance
    large = exact + int(f32(np.log(f32(distance / exact))) / np.log(most / exact) * (n - exact))
    return bucket + min(large, n - 1)


def relative_positions():
    for name, both, buckets, most, length in (("both", 1, 8, 20, 30), ("past", 0, 32, 128, 20), ("both_t5", 1, 32, 40, 48)):
        heads = 3
        table = floats(heads, buckets)
        rows = np.asarray([[t5_bucket(k - q, buckets, most, both) for k in range(length)] for q in range(length)])
        size = Fixed(np.asarray([length] if both else length, i64))
        # ONNX Runtime's kernel and optimizer keep the table by heads, and declare it by buckets.
        case(f"relative_position_bias_{name}", "RelativePositionBias", [table.reshape(buckets, heads), size, size],
             expected=[table[:, rows][None]], max_distance=most, is_bidirectional=both)
    b, s, heads, d, width = 2, 5, 3, 4, 8
    q, q_bias, positions, weight, bias, eco = floats(b, s, heads * d), floats(heads * d), floats(1, heads, s, s), floats(d, width), floats(width), \
        floats(1, heads, 1, 1)
    per_head = (q + q_bias).reshape(b, s, heads, d).transpose(0, 2, 1, 3)
    gates = 1 / (1 + np.exp(-(per_head @ weight + bias).reshape(b, heads, s, 2, width // 2).sum(-1)))
    gate = gates[..., :1] * (gates[..., 1:] * eco - 1) + 2
    case("gated_relative_position_bias", "GatedRelativePositionBias", [q, Fixed(q_bias), positions, Fixed(weight), Fixed(bias), Fixed(eco)],
         expected=[(gate * positions).astype(f32)], num_heads=heads)


def convolutions():
    x, w, bias = floats(1, 4, 6, 5), Fixed(floats(8, 4, 3, 3)), Fixed(floats(8))
    case("fused_conv_relu", "FusedConv", [x, w, bias], activation="Relu", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    case("fused_conv_sum", "FusedConv", [x, w, bias, floats(1, 8, 4, 3)], activation="Relu", kernel_shape=[3, 3])
    case("fused_conv_leaky", "FusedConv", [x, w, bias], activation="LeakyRelu", activation_params=[0.3], kernel_shape=[3, 3], strides=[2, 1])
    case("fused_conv_clip", "FusedConv", [x, w, bias], activation="Clip", activation_params=[-0.5, 2.0], kernel_shape=[3, 3])
    case("fused_conv_hard_sigmoid", "FusedConv", [x, w, bias], activation="HardSigmoid", activation_params=[0.25, 0.4], kernel_shape=[3, 3])
    case("fused_conv_depthwise", "FusedConv", [x, Fixed(floats(4, 1, 3, 3)), Fixed(floats(4))], activation="Sigmoid", kernel_shape=[3, 3], group=4)


def main():
    shutil.rmtree(ROOT, ignore_errors=True)
    for group in (attention, grouped, norms, activations, products, quantized, recurrent, rotary, relative_positions, convolutions):
        group()
    size = sum(p.stat().st_size for p in ROOT.rglob("*") if p.is_file())
    print(f"onnxruntime {onnxruntime.__version__}: {len(list(ROOT.iterdir()))} cases of {len(written)} operators, {size} bytes")
    print("operators:", ", ".join(sorted(written)))


main()
