"""One function per group of operators: adds one node with random attributes to a Builder, or raises Rejected."""
import numpy as np

from graph_builder import Rejected

OPS = []


def op(f):
    OPS.append(f)
    return f


def is_float(v):
    return v.is_float()


def is_number(v):
    return v.is_float() or v.is_int()


@op
def smooth_unary(b):
    name = b.pick(["Exp", "Sigmoid", "Tanh", "Erf", "Softplus", "Softsign", "Elu", "Selu", "Celu", "HardSwish", "Mish", "Sin", "Cos",
                   "HardSigmoid", "Gelu", "LeakyRelu", "Identity"])
    attributes = {}
    if name in ("Elu", "Celu", "LeakyRelu") and b.chance(0.5):
        attributes["alpha"] = float(b.pick([0.5, 1.5, 0.01]))
    if name == "HardSigmoid" and b.chance(0.5):
        attributes = {"alpha": 0.3, "beta": 0.4}
    if name == "Gelu" and b.chance(0.5):
        attributes["approximate"] = "tanh"
    b.node(name, [b.any(is_float)], exact=name == "Identity", **attributes)


@op
def positive_unary(b):
    x = b.node("Abs", [b.any(is_float)])
    x = b.node("Add", [x, b.constant(np.float32(0.5))])
    b.node(b.pick(["Log", "Sqrt", "Reciprocal"]), [x], exact=False)


@op
def exact_unary(b):
    x = b.any(lambda v: is_number(v) and v.exact)
    names = ["Abs", "Neg", "Sign"] if x.dtype != np.uint8 else ["Abs", "Sign"]
    if x.is_float():
        names += ["Floor", "Ceil", "Round", "Relu", "IsNaN", "ThresholdedRelu"]
    b.node(b.pick(names), [x])


@op
def logic(b):
    x = b.any(lambda v: v.dtype == np.bool_)
    if b.chance(0.3):
        b.node("Not", [x])
    else:
        b.node(b.pick(["And", "Or", "Xor"]), [x, partner(b, x)])


def partner(b, x):
    """Something that broadcasts with x: itself, another value, a constant with some axes 1 or missing, or more axes."""
    kind = b.integer(0, 4)
    if kind == 0:
        return x
    if kind == 1:
        others = [v for v in b.values if v.dtype == x.dtype and all(broadcasts(p, q) for p, q in zip(v.data, x.data))]
        return b.pick(others)
    dims = [1 if b.chance(0.4) or len({d.shape[i] for d in x.data}) > 1 else x.shape[i] for i in range(x.rank)]
    if kind == 2:
        dims = dims[b.integer(0, len(dims)):]
    if kind == 3 and x.rank < 4:
        dims = [b.integer(1, 3)] + dims
    return b.random_constant(x.dtype, dims)


def broadcasts(p, q):
    try:
        np.broadcast_shapes(p.shape, q.shape)
        return True
    except ValueError:
        return False


@op
def arithmetic(b):
    x = b.any(is_number)
    y = partner(b, x)
    name = b.pick(["Add", "Sub", "Mul", "Add", "Sub", "Mul", "Max", "Min"])
    b.node(name, [x, y] if b.chance(0.5) else [y, x])


@op
def division(b):
    x = b.any(lambda v: v.dtype in (np.float32, np.int64, np.int32))
    dims = [x.shape[-1]] if x.rank and len({d.shape[-1] for d in x.data}) == 1 and b.chance(0.5) else []
    y = b.constant(np.asarray(b.rng.choice([-3, -2, 1, 2, 3, 5], dims), x.dtype))
    if x.is_float():
        b.node("Div", [x, y], exact=False)
    elif b.chance(0.5):
        b.node("Div", [x, y])
    else:
        b.node("Mod", [x, y], fmod=b.integer(0, 1))


@op
def power(b):
    x = b.any(is_float)
    if b.chance(0.5):
        b.node("Pow", [x, b.constant(b.pick([np.float32(2), np.float32(3), np.int64(2), np.float32(1)]))], exact=False)
    else:
        base = b.node("Add", [b.node("Abs", [x]), b.constant(np.float32(0.25))])
        b.node("Pow", [base, b.constant(np.float32(b.pick([0.5, -0.5, 1.5, -1])))], exact=False)


@op
def several(b):
    x = b.any(is_float)
    parts = [x] + [partner(b, x) for _ in range(b.integer(0, 2))]
    name = b.pick(["Sum", "Mean", "Max", "Min"])
    b.node(name, parts, exact=name != "Mean")


@op
def compare(b):
    x = b.any(lambda v: v.exact and v.dtype in (np.float32, np.int64, np.int32))
    y = partner(b, x)
    if not y.exact:
        raise Rejected
    b.node(b.pick(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"]), [x, y])


@op
def where(b):
    c = b.any(lambda v: v.dtype == np.bool_)
    x = b.any(lambda v: v.dtype != np.bool_ and all(broadcasts(p, q) for p, q in zip(v.data, c.data)))
    b.node("Where", [c, x, partner(b, x)])


@op
def clip(b):
    x = b.any(lambda v: v.dtype in (np.float32, np.int64, np.int32))
    low = b.constant(np.asarray(-1, x.dtype)) if b.chance(0.7) else None
    high = b.constant(np.asarray(2, x.dtype)) if b.chance(0.7) else None
    b.node("Clip", [x, low, high])


@op
def cast(b):
    x = b.any(lambda v: v.exact)
    to = b.pick([1, 6, 7, 9, 2, 3])
    if x.is_float() and to in (2, 3) and not all((d >= (0 if to == 2 else -100)).all() and (d < 100).all() for d in x.data):
        raise Rejected  # undefined in ONNX
    b.node("Cast", [x], to=to)


def some_axes(b, rank):
    count = b.integer(1, max(1, rank))
    chosen = [int(a) for a in b.rng.permutation(rank)[:count]]
    return [a - rank if b.chance(0.4) else a for a in chosen]


@op
def reduction(b):
    names = ["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]
    name = b.pick(names)
    ints = name in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")
    x = b.any(lambda v: v.is_float() or (ints and v.dtype in (np.int32, np.int64)))
    axes = some_axes(b, x.rank) if x.rank and b.chance(0.8) else []
    inputs, attributes = [x], {"keepdims": b.integer(0, 1)}
    by_input = b.opset >= 18 or (name == "ReduceSum" and b.opset >= 13)
    if by_input:
        if axes or b.chance(0.3):
            inputs.append(b.ints(axes))
        if b.chance(0.3):
            attributes["noop_with_empty_axes"] = b.integer(0, 1)
    elif axes:
        attributes["axes"] = axes
    b.node(name, inputs, exact=ints, **attributes)


@op
def arg(b):
    x = b.any(lambda v: v.exact and v.rank > 0 and v.dtype in (np.float32, np.int32))
    axis, _ = b.axis(x.rank)
    b.node(b.pick(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=b.integer(0, 1), select_last_index=b.integer(0, 1))


@op
def top_k(b):
    x = b.any(lambda v: v.exact and v.rank > 0 and v.dtype in (np.float32, np.int64))
    axis, i = b.axis(x.rank)
    k = b.integer(1, min(d.shape[i] for d in x.data) or 1)
    b.node("TopK", [x, b.ints([k])], outputs=2, axis=axis, largest=b.integer(0, 1))


@op
def cumsum(b):
    x = b.any(lambda v: v.rank > 0 and v.dtype in (np.float32, np.int32, np.int64))
    axis, _ = b.axis(x.rank)
    b.node("CumSum", [x, b.constant(np.int64(axis))], exclusive=b.integer(0, 1), reverse=b.integer(0, 1))


@op
def softmax(b):
    x = b.any(lambda v: v.is_float() and v.rank > 0)
    axis, _ = b.axis(x.rank)
    b.node(b.pick(["Softmax", "LogSoftmax"]), [x], exact=False, axis=axis)


@op
def transpose(b):
    x = b.any(lambda v: v.rank > 0)
    if b.chance(0.2):
        b.node("Transpose", [x])
    else:
        b.node("Transpose", [x], perm=[int(a) for a in b.rng.permutation(x.rank)])


@op
def reshape(b):
    x = b.any(lambda v: v.rank > 0)
    kind = b.integer(0, 3)
    if kind == 0:
        target = [-1]
    elif kind == 1:
        target = [0] * (x.rank - 1) + [-1, 1]
    elif not x.fixed:
        raise Rejected  # numbers in the target bind the dims
    elif kind == 2 and x.rank > 1:
        i = b.integer(0, x.rank - 2)
        target = [0] * i + [-1] + [int(s) for s in x.shape[i + 2:]]
    else:
        size, target = int(x.data[0].size), []
        while size > 1:
            p = next(f for f in range(2, size + 1) if size % f == 0)
            target.append(p)
            size //= p
        target = [int(t) for t in b.rng.permutation(target)] or [1]
        while len(target) > 4:
            target[-2:] = [target[-2] * target[-1]]
        if b.chance(0.5):
            target[b.integer(0, len(target) - 1)] = -1
    b.node("Reshape", [x, b.ints(target)])


@op
def reshape_by_shape(b):
    """The shape arithmetic of exporters: sizes of the input, some of them joined."""
    x = b.any(lambda v: v.rank >= 2)
    shape = b.node("Shape", [x])
    i = b.integer(0, x.rank - 2)
    head = b.node("Slice", [shape, b.ints([0]), b.ints([i])])
    joined = b.node("ReduceProd", [b.node("Slice", [shape, b.ints([i]), b.ints([i + 2])]), b.ints([0])] if b.opset >= 18 else
                    [b.node("Slice", [shape, b.ints([i]), b.ints([i + 2])])], keepdims=1)
    tail = b.node("Slice", [shape, b.ints([i + 2]), b.ints([2**63 - 1])])
    b.node("Reshape", [x, b.node("Concat", [head, joined, tail], axis=0)])


@op
def flatten(b):
    x = b.any()
    b.node("Flatten", [x], axis=b.integer(-x.rank, x.rank))


@op
def squeeze(b):
    x = b.any(lambda v: v.rank < 5)
    rank = x.rank + b.integer(1, 2)
    axes = sorted(int(a) for a in b.rng.permutation(rank)[:rank - x.rank])
    x = b.node("Unsqueeze", [x, b.ints([a - rank if b.chance(0.4) else a for a in axes])])
    if b.chance(0.4):
        b.node("Squeeze", [x, b.ints([axes[0] - (rank if b.chance(0.4) else 0)])])


@op
def concat(b):
    x = b.any(lambda v: v.rank > 0)
    axis, i = b.axis(x.rank)

    def fits(v):
        return v.dtype == x.dtype and v.rank == x.rank and all(
            p.shape[:i] == q.shape[:i] and p.shape[i + 1:] == q.shape[i + 1:] for p, q in zip(v.data, x.data))

    others = [v for v in b.values if fits(v)]
    b.node("Concat", [x] + [b.pick(others) for _ in range(b.integer(0, 2))], axis=axis)


@op
def split(b):
    x = b.any(lambda v: v.rank > 0)
    axis, i = b.axis(x.rank)
    if len({d.shape[i] for d in x.data}) > 1 or x.shape[i] < 2:
        raise Rejected
    first = b.integer(1, x.shape[i] - 1)
    if b.opset >= 18 and b.chance(0.4):
        b.node("Split", [x], outputs=2, axis=axis, num_outputs=2)
    else:
        b.node("Split", [x, b.ints([first, x.shape[i] - first])], outputs=2, axis=axis)


@op
def slice_(b):
    x = b.any(lambda v: v.rank > 0)
    axes = some_axes(b, x.rank)
    starts, ends, steps = [], [], []
    for _ in axes:
        step = b.pick([1, 1, 1, 2, 3, -1, -2])
        low, high = b.pick([0, 0, 1, -2, -9]), b.pick([2**63 - 1, 3, -1, 9])
        if step < 0:
            low, high = b.pick([-1, 2**63 - 1, 3]), b.pick([-2**63, -9, 0])
        starts.append(low)
        ends.append(high)
        steps.append(step)
    b.node("Slice", [x, b.ints(starts), b.ints(ends), b.ints(axes), b.ints(steps)])


@op
def slice_by_size(b):
    """The last or first rows, as many as another axis has."""
    x = b.any(lambda v: v.rank > 0)
    y = b.any(lambda v: v.rank > 0)
    size = b.node("Slice", [b.node("Shape", [y]), b.ints([0]), b.ints([1])])
    _, i = b.axis(x.rank)
    if b.chance(0.5):
        # A symbolic end behind the axis is not clamped: it is taken to be the length of a table.
        if any(q.shape[0] > p.shape[i] for p, q in zip(x.data, y.data)) or not x.fixed:
            raise Rejected
        b.node("Slice", [x, b.ints([0]), size, b.ints([i])])
    else:
        b.node("Slice", [x, b.node("Neg", [size]), b.ints([2**63 - 1]), b.ints([i])])


@op
def gather(b):
    x = b.any(lambda v: v.rank > 0)
    axis, i = b.axis(x.rank)
    least = min(d.shape[i] for d in x.data)
    if least == 0:
        raise Rejected
    shape = b.pick([[], [2], [1, 3], [2, 2]])
    b.node("Gather", [x, b.constant(np.asarray(b.rng.integers(-least, least, shape), np.int64))], axis=axis)


@op
def gather_elements(b):
    x = b.any(lambda v: v.rank > 0 and v.fixed and 0 not in v.shape)
    axis, i = b.axis(x.rank)
    shape = [b.integer(1, s) for s in x.shape]
    shape[i] = b.integer(1, 4)
    index = b.constant(np.asarray(b.rng.integers(-x.shape[i], x.shape[i], shape), np.int64))
    if b.chance(0.6):
        b.node("GatherElements", [x, index], axis=axis)
    else:
        shape[i] = b.integer(1, x.shape[i])  # each index once
        index = b.constant(np.argsort(b.rng.random(x.shape), axis=i)[tuple(slice(0, s) for s in shape)].astype(np.int64))
        b.node("ScatterElements", [x, index, b.random_constant(x.dtype, shape)], axis=axis)


@op
def gather_nd(b):
    x = b.any(lambda v: v.rank > 0 and v.fixed and 0 not in v.shape)
    t = b.integer(1, x.rank)
    index = np.stack([b.rng.integers(-s, s, [3]) for s in x.shape[:t]], -1).astype(np.int64)
    if b.chance(0.6):
        b.node("GatherND", [x, b.constant(index)])
    else:
        one = b.constant(index[:1])
        b.node("ScatterND", [x, one, b.random_constant(x.dtype, [1, *x.shape[t:]])])


@op
def expand(b):
    x = b.any()
    target = [1 if b.chance(0.5) else (b.integer(1, 3) if s == 1 else s) for s in x.shape]
    if b.chance(0.3) and x.rank < 4:
        target = [2] + target
    for i in range(x.rank):
        if len({d.shape[i] for d in x.data}) > 1:
            target[i + len(target) - x.rank] = 1
    b.node("Expand", [x, b.ints(target)])


@op
def tile(b):
    x = b.any(lambda v: v.rank > 0)
    b.node("Tile", [x, b.ints([b.pick([1, 1, 2, 3]) for _ in x.shape])])


@op
def pad(b):
    x = b.any(lambda v: v.rank > 0 and v.dtype in (np.float32, np.int32, np.int64))
    mode = b.pick(["constant", "constant", "reflect", "edge"])
    limit = [min(d.shape[i] for d in x.data) - 1 for i in range(x.rank)]
    if mode != "constant" and min(limit) < 0:
        raise Rejected
    most = [min(2, m) if mode == "reflect" else 2 for m in limit]
    pads = [b.integer(0, m) for m in most] + [b.integer(0, m) for m in most]
    if mode == "constant" and b.chance(0.2):
        pads[0] = -min(1, limit[0]) if limit[0] > 0 else 0
    inputs = [x, b.ints(pads)]
    if mode == "constant" and b.chance(0.5):
        inputs.append(b.constant(np.asarray(2, x.dtype)))
    b.node("Pad", inputs, mode=mode)


@op
def trilu(b):
    x = b.any(lambda v: v.rank >= 2 and v.dtype in (np.float32, np.int64, np.bool_))
    inputs = [x, b.constant(np.int64(b.integer(-3, 3)))] if b.chance(0.7) else [x]
    b.node("Trilu", inputs, upper=b.integer(0, 1))


@op
def one_hot(b):
    x = b.any(lambda v: v.dtype in (np.int64, np.int32) and v.rank < 4)
    b.node("OneHot", [x, b.constant(np.int64(5)), b.constant(np.asarray([0, 3], np.float32))], axis=b.integer(-x.rank - 1, x.rank))


@op
def fill(b):
    shape = b.node("Shape", [b.any(lambda v: v.rank > 0)])
    b.node("ConstantOfShape", [shape])


@op
def positions(b):
    """arange over an axis, as masks are made."""
    x = b.any(lambda v: v.rank > 0)
    _, i = b.axis(x.rank)
    size = b.node("Gather", [b.node("Shape", [x]), b.constant(np.int64(i))])
    b.node("Range", [b.constant(np.int64(b.integer(-2, 1))), size, b.constant(np.int64(b.pick([1, 1, 2])))])


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
def norm(b):
    x = b.any(lambda v: v.is_float() and v.rank > 0 and 0 not in v.shape)
    name = b.pick(["LayerNormalization", "LayerNormalization", "LpNormalization", "InstanceNormalization", "BatchNormalization"])
    if name == "LpNormalization":
        b.node(name, [x], exact=False, axis=b.axis(x.rank)[0], p=b.integer(1, 2))
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
