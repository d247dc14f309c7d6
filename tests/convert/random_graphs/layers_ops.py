"""Layers: products, convolutions, pools, norms, recurrent layers, attention. Each function adds one to a Builder."""
import numpy as np

from graph_builder import Rejected
from operator_list import op


@op
def matmul(b):
    x = b.any(lambda v: v.is_float() and v.rank > 0)
    width = {d.shape[-1] for d in x.data}
    if len(width) > 1 or b.chance(0.2):
        if x.rank < 2:
            raise Rejected
        b.node("MatMul", [x, b.node("Transpose", [x], perm=[*range(x.rank - 2), x.rank - 1, x.rank - 2])], exact=False)
        return
    k = width.pop()
    if k == 0:
        raise Rejected
    shape = b.pick([[k], [k, 3], [k, 1], [k, 17], [1, k, 2]])
    b.node("MatMul", [x, b.random_constant(np.float32, shape)], exact=False)


@op
def gemm(b):
    x = b.any(lambda v: v.is_float() and v.rank == 2)
    a = b.integer(0, 1)
    sizes = {d.shape[0 if a else 1] for d in x.data}
    if len(sizes) > 1:
        raise Rejected
    k, t, n = sizes.pop(), b.integer(0, 1), b.pick([1, 3, 16])
    inputs = [x, b.random_constant(np.float32, [n, k] if t else [k, n])]
    if b.chance(0.6):
        inputs.append(b.random_constant(np.float32, b.pick([[], [1], [n], [1, n]])))
    b.node("Gemm", inputs, exact=False, transA=a, transB=t, alpha=b.pick([1.0, 0.5]), beta=b.pick([1.0, 2.0]))


@op
def einsum(b):
    x = b.any(lambda v: v.is_float() and v.rank == 3)
    b.node("Einsum", [x, x], exact=False, equation=b.pick(["bij,bkj->bik", "bij,bik->bjk", "bij,bij->bi", "abc,abd->acd", "bij,bkj->bki"]))


def spatial_input(b):
    x = b.any(lambda v: v.is_float() and v.rank in (3, 4) and 0 not in v.shape)
    if len({d.shape[1] for d in x.data}) > 1:
        raise Rejected
    return x, x.rank - 2


def window(b, axes):
    attributes = {"kernel_shape": [b.integer(1, 3) for _ in range(axes)]}
    if b.chance(0.6):
        attributes["strides"] = [b.integer(1, 3) for _ in range(axes)]
    if b.chance(0.4):
        attributes["dilations"] = [b.integer(1, 2) for _ in range(axes)]
    if b.chance(0.6):
        attributes["pads"] = [b.integer(0, k - 1) for k in attributes["kernel_shape"]] * 2
    elif b.chance(0.4) and "dilations" not in attributes:
        attributes["auto_pad"] = b.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return attributes


@op
def conv(b):
    x, axes = spatial_input(b)
    attributes = window(b, axes)
    channels = x.shape[1]
    group = b.pick([1, 1, channels, 2 if channels % 2 == 0 else 1])
    filters = group * b.integer(1, 3)
    inputs = [x, b.random_constant(np.float32, [filters, channels // group, *attributes["kernel_shape"]])]
    if b.chance(0.5):
        inputs.append(b.random_constant(np.float32, [filters]))
    b.node("Conv", inputs, exact=False, group=group, **attributes)


@op
def conv_transpose(b):
    x, axes = spatial_input(b)
    attributes = window(b, axes)
    channels = x.shape[1]
    group = b.pick([1, 1, channels, 2 if channels % 2 == 0 else 1])
    if b.chance(0.3) and "strides" in attributes:
        attributes["output_padding"] = [b.integer(0, s - 1) for s in attributes["strides"]]
    filters = b.integer(1, 3)
    inputs = [x, b.random_constant(np.float32, [channels, filters, *attributes["kernel_shape"]])]
    if b.chance(0.5):
        inputs.append(b.random_constant(np.float32, [filters * group]))
    b.node("ConvTranspose", inputs, exact=False, group=group, **attributes)


def complex_input(b, ranks):
    """A float value with a last axis for real parts, or for both."""
    x = b.any(lambda v: v.is_float() and v.rank in ranks and 0 not in v.shape)
    x = b.node("Unsqueeze", [x, b.ints([-1])])
    return b.node("Concat", [x, b.node("Neg", [x])], axis=-1) if b.chance(0.4) else x


@op
def dft(b):
    if b.opset < 17:
        raise Rejected
    x = complex_input(b, (2, 3))
    axis = b.integer(0 if b.opset >= 20 else 1, x.rank - 2)
    attributes = {"inverse": b.integer(0, 1)}
    if not attributes["inverse"] and x.shape[-1] == 1:
        attributes["onesided"] = b.integer(0, 1)
    inputs = [x, b.constant(np.int64(b.pick([1, 2, 4, 8, 16])))]  # ONNX Runtime is not exact for other lengths
    if b.opset >= 20:
        inputs.append(b.constant(np.int64(axis)))
    else:
        attributes["axis"] = axis
    b.node("DFT", inputs, exact=False, **attributes)


@op
def stft(b):
    if b.opset < 17:
        raise Rejected
    x = complex_input(b, (2,))
    size = b.pick([n for n in (1, 2, 4, 8, 16, 32) if n <= min(d.shape[1] for d in x.data)])
    window = b.random_constant(np.float32, [size]) if b.chance(0.6) else None
    length = b.constant(np.int64(size)) if window is None or b.chance(0.5) else None
    inputs = [x, b.constant(np.int64(b.integer(1, 4))), window, length]
    b.node("STFT", inputs, exact=False, onesided=int(x.shape[-1] == 1 and b.chance(0.7)))


@op
def pool(b):
    x, axes = spatial_input(b)
    name = b.pick(["MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool"])
    if name.startswith("Global"):
        b.node(name, [x], exact=name == "GlobalMaxPool")
        return
    attributes = window(b, axes)
    if "auto_pad" not in attributes:
        attributes["ceil_mode"] = b.integer(0, 1)
    if name == "AveragePool":
        attributes["count_include_pad"] = b.integer(0, 1)
        if b.opset < 19:
            attributes.pop("dilations", None)
            attributes["ceil_mode"] = 0  # its divisor was defined in opset 19
    if "auto_pad" in attributes:
        attributes.pop("ceil_mode", None)
    reach = [(k - 1) * d + 1 for k, d in zip(attributes["kernel_shape"], attributes.get("dilations", [1] * axes))]
    if any(d.shape[2 + i] < r for d in x.data for i, r in enumerate(reach)):
        raise Rejected
    b.node(name, [x], exact=name == "MaxPool", **attributes)


@op
def lp_pool(b):
    x, axes = spatial_input(b)
    attributes = {"p": b.integer(1, 3)}
    if b.chance(0.3):
        b.node("GlobalLpPool", [x], exact=False, **attributes)
        return
    attributes.update(window(b, axes))
    attributes.pop("dilations", None)
    if any(d.shape[2 + i] < k for d in x.data for i, k in enumerate(attributes["kernel_shape"])):
        raise Rejected
    b.node("LpPool", [x], exact=False, **attributes)


@op
def conv_integer(b):
    x = b.any(lambda v: v.dtype == np.uint8 and v.rank in (3, 4) and 0 not in v.shape)
    if len({d.shape[1] for d in x.data}) > 1:
        raise Rejected
    attributes = window(b, x.rank - 2)
    weights = b.random_constant(np.uint8, [b.integer(1, 3), x.shape[1], *attributes["kernel_shape"]])
    b.node("ConvInteger", [x, weights, b.constant(np.uint8(b.integer(0, 9))), b.constant(np.uint8(b.integer(0, 9)))], **attributes)


@op
def norm(b):
    x = b.any(lambda v: v.is_float() and v.rank > 0 and 0 not in v.shape)
    name = b.pick(["LayerNormalization", "LayerNormalization", "LpNormalization", "InstanceNormalization", "BatchNormalization"])
    if name == "LpNormalization":
        axis, i = b.axis(x.rank)
        # Nearly nothing to normalise (GELU far below zero) becomes 0, 1 or -1 by the last bit of it.
        if any(np.abs(d).sum(i).min() < 1e-2 for d in x.data):
            raise Rejected
        b.node(name, [x], exact=False, axis=axis, p=b.integer(1, 2))
        return
    if name == "LayerNormalization":
        axis, i = b.axis(x.rank)
        if len({d.shape[i:] for d in x.data}) > 1:
            raise Rejected
        inputs = [x, b.random_constant(np.float32, x.shape[i:])]
        if b.chance(0.6):
            inputs.append(b.random_constant(np.float32, x.shape[i:]))
        b.node(name, inputs, exact=False, axis=axis, epsilon=0.1)
        return
    if x.rank < (3 if name == "InstanceNormalization" else 2) or len({d.shape[1] for d in x.data}) > 1:
        raise Rejected
    c = [b.random_constant(np.float32, [x.shape[1]]) for _ in range(3)]
    if name == "BatchNormalization":
        c.append(b.constant(np.abs(b.numbers(np.float32, [x.shape[1]])) + np.float32(0.5)))
    else:
        c = c[:2]
    b.node(name, [x, *c], exact=False, epsilon=0.1)


@op
def recurrent(b):
    x = b.any(lambda v: v.is_float() and v.rank == 3 and 0 not in v.shape)
    if len({d.shape[2] for d in x.data}) > 1:
        raise Rejected
    name, hidden = b.pick(["LSTM", "GRU", "RNN"]), b.pick([1, 3, 16])
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[name] * hidden
    direction = b.pick(["forward", "reverse", "bidirectional"])
    d = 2 if direction == "bidirectional" else 1
    scale = np.float32(0.2)
    w, r, bias = (b.constant(b.numbers(np.float32, s) * scale) for s in ([d, gates, x.shape[2]], [d, gates, hidden], [d, 2 * gates]))
    attributes = {"hidden_size": hidden, "direction": direction}
    if name == "GRU":
        attributes["linear_before_reset"] = b.integer(0, 1)
    b.node(name, [x, w, r, bias if b.chance(0.7) else None], outputs=3 if name == "LSTM" else 2, exact=False, **attributes)


@op
def attention(b):
    if b.opset < 23:
        raise Rejected
    x = b.any(lambda v: v.is_float() and v.rank == 3 and v.shape[-1] % 2 == 0 and 0 not in v.shape)
    if len({d.shape[2] for d in x.data}) > 1:
        raise Rejected
    heads = b.pick([1, 2])
    b.node("Attention", [x, x, x], exact=False, q_num_heads=heads, kv_num_heads=heads, is_causal=b.integer(0, 1))


@op
def linear_layer(b):
    """What models are made of: MatMul, Add, an activation."""
    x = b.any(lambda v: v.is_float() and v.rank > 1 and 0 not in v.shape)
    if len({d.shape[-1] for d in x.data}) > 1:
        raise Rejected
    n = b.pick([4, 16, 33])
    y = b.node("MatMul", [x, b.random_constant(np.float32, [x.shape[-1], n])], exact=False)
    y = b.node("Add", [b.random_constant(np.float32, [n]), y])
    b.node(b.pick(["Relu", "Gelu", "Tanh", "Sigmoid"]), [y], exact=False)
