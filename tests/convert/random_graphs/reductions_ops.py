"""Reductions along axes, and what else works along one: each function adds one node to a Builder."""
import numpy as np

from graph_builder import Rejected
from operator_list import op


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
    y = b.node(name, inputs, exact=ints, **attributes)
    # ONNX leaves the mean of nothing undefined.
    if name == "ReduceMean" and any(d.size == 0 and r.size > 0 for d, r in zip(x.data, y.data)):
        raise Rejected
    # Reducing an empty tensor ONNX Runtime (1.31) keeps axes that it should reduce.
    if any(d.size == 0 and d.ndim != (r.ndim if attributes["keepdims"] else r.ndim + len(axes or d.shape)) for d, r in zip(x.data, y.data)) or any(
            d.size == 0 and attributes["keepdims"] and any(r.shape[a] != 1 for a in axes) for d, r in zip(x.data, y.data)):
        raise Rejected


@op
def arg(b):
    x = b.any(lambda v: v.exact and v.rank > 0 and v.dtype in (np.float32, np.int32))
    axis, _ = b.axis(x.rank)
    # No answer where the axis is empty: ONNX Runtime gives an empty one where it is negative (seed 957), and an error otherwise. Where
    # another one is, it keeps the axis that it should reduce (fp32, seed 1254).
    if any(d.size == 0 for d in x.data):
        raise Rejected
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
