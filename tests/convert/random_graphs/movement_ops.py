"""Operators that move elements or make tensors from sizes: each function adds one node (or the few of an idiom) to a Builder."""
import numpy as np

from graph_builder import Rejected
from operator_list import op
from reductions_ops import some_axes


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
def reverse_sequence(b):
    x = b.any(lambda v: v.rank >= 2 and v.fixed and v.dtype in (np.float32, np.int64, np.bool_))
    time = b.integer(0, 1)
    lengths = [b.integer(0, x.shape[time]) if b.chance(0.7) else x.shape[time] for _ in range(x.shape[1 - time])]
    b.node("ReverseSequence", [x, b.constant(np.asarray(lengths, np.int64))], time_axis=time, batch_axis=1 - time)


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
