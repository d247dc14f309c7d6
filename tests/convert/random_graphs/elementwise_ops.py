"""Elementwise operators: each function adds one node with random attributes to a Builder, or raises Rejected."""
import numpy as np

from graph_builder import Rejected
from operator_list import is_float, is_number, op


@op
def smooth_unary(b):
    name = b.pick(["Exp", "Sigmoid", "Tanh", "Erf", "Softplus", "Softsign", "Elu", "Selu", "Celu", "HardSwish", "Mish", "Sin", "Cos",
                   "HardSigmoid", "Gelu", "LeakyRelu", "Atan", "Asinh", "Identity"])
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
    if len({d.ndim for d in x.data}) > 1:
        raise Rejected  # a Squeeze of all axes of size 1, which depend on the data set
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
