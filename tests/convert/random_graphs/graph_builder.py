"""A random graph while it grows: values with what ONNX Runtime gives for them, and the random choices of all operators.

Dims may be names; `sizes` holds their value in every data set. A value is exact when two correct implementations must agree in all
its bits: only such values go into operators with jumps (Floor, Equal, ArgMax, a cast to integers).
"""
import dataclasses

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NP_OF = {
    TensorProto.FLOAT: np.float32, TensorProto.INT64: np.int64, TensorProto.INT32: np.int32, TensorProto.BOOL: np.bool_,
    TensorProto.UINT8: np.uint8, TensorProto.INT8: np.int8,
}
ONNX_OF = {np.dtype(v): k for k, v in NP_OF.items()}
INTS = (np.int64, np.int32, np.uint8, np.int8)


class Rejected(Exception):
    """The random choice makes no valid node here; another one is tried."""


@dataclasses.dataclass
class Value:
    name: str
    data: list  # per data set
    exact: bool = True

    @property
    def dtype(self):
        return self.data[0].dtype

    @property
    def shape(self):
        return self.data[0].shape

    @property
    def rank(self):
        return self.data[0].ndim

    @property
    def fixed(self):
        return all(d.shape == self.shape for d in self.data)

    def is_float(self):
        return self.dtype == np.float32

    def is_int(self):
        return self.dtype in INTS


class Builder:
    def __init__(self, rng, opset, run_node):
        self.rng, self.opset, self.run_node = rng, opset, run_node
        self.nodes, self.initializers, self.inputs, self.values = [], [], [], []
        self.data_sets = 2 if rng.random() < 0.5 else 1
        # Never the same twice: a size that stays is a fixed one.
        self.sizes = {name: [int(rng.integers(1, 6)), int(rng.integers(6, 12))] for name in ("n", "s")}
        if rng.random() < 0.5:
            self.sizes = {name: sizes[::-1] for name, sizes in self.sizes.items()}
        self.counter = 0

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def integer(self, low, high):
        """low <= x <= high"""
        return int(self.rng.integers(low, high + 1))

    def numbers(self, dtype, shape):
        """Floats are multiples of 1/8 so that short sums and products are exact."""
        if dtype == np.float32:
            return (self.rng.integers(-24, 25, shape) / 8).astype(np.float32)
        if dtype == np.bool_:
            return self.rng.random(shape) < 0.5
        low = 0 if dtype == np.uint8 else -9
        return self.rng.integers(low, 10, shape).astype(dtype)

    def input(self, dtype=np.float32, rank=None, shape=None):
        """With names among the sizes when there are two data sets."""
        if shape is None:
            rank = self.pick([0, 1, 2, 2, 3, 3, 3, 4, 4, 5]) if rank is None else rank
            shape = [self.pick(["n", "s"]) if self.data_sets == 2 and self.chance(0.4) else self.pick([1, 1, 2, 3, 4, 5, 8])
                     for _ in range(rank)]
        name = self.fresh("x")
        data = [self.numbers(dtype, [d if isinstance(d, int) else self.sizes[d][k] for d in shape]) for k in range(self.data_sets)]
        data = [np.asarray(d, dtype) for d in data]
        self.inputs.append(helper.make_tensor_value_info(name, ONNX_OF[np.dtype(dtype)], shape))
        self.values.append(Value(name, data))
        return self.values[-1]

    def constant(self, array):
        name = self.fresh("c")
        array = np.asarray(array)
        self.initializers.append(numpy_helper.from_array(array, name))
        return Value(name, [array] * self.data_sets)

    def ints(self, values):
        return self.constant(np.asarray(values, np.int64))

    def random_constant(self, dtype, shape):
        return self.constant(np.asarray(self.numbers(dtype, shape), dtype))

    def any(self, accept=lambda v: True):
        """The newest value most of the time, so that chains form."""
        fitting = [v for v in self.values if accept(v)]
        if not fitting:
            raise Rejected
        return fitting[-1] if self.chance(0.7) else self.pick(fitting)

    def axis(self, rank):
        """(as written, as index)"""
        if rank == 0:
            raise Rejected
        a = self.integer(0, rank - 1)
        return (a - rank if self.chance(0.4) else a), a

    def node(self, op, inputs, outputs=1, exact=None, domain="", **attributes):
        """Adds a node and computes its outputs in every data set. exact: whether it rounds nothing; None keeps its inputs' exactness."""
        names = [v.name if v is not None else "" for v in inputs]
        given = [v for v in inputs if v is not None]
        n = helper.make_node(op, names, [self.fresh() for _ in range(outputs)], domain=domain, **attributes)
        results = [self.run_node(n, {v.name: v.data[k] for v in given}, self.opset) for k in range(self.data_sets)]
        for r in results:
            for array in r:
                if not isinstance(array, np.ndarray) or array.dtype not in ONNX_OF or array.size > 20000 or array.ndim > 6:
                    raise Rejected
                if array.dtype == np.float32 and array.size and not (np.isfinite(array).all() and np.abs(array).max() < 1e5):
                    raise Rejected
        self.nodes.append(n)
        was_exact = all(v.exact for v in given)
        made = [Value(name, [r[i] for r in results], was_exact if exact is None else exact and was_exact) for i, name in enumerate(n.output)]
        self.values += made
        return made[0]

    def model(self, outputs):
        graph = helper.make_graph(
            self.nodes, "random", self.inputs,
            [helper.make_tensor_value_info(v.name, ONNX_OF[v.dtype], v.shape if v.fixed else [None] * v.rank) for v in outputs],
            self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], producer_name="random_graphs.py")
        model.ir_version = 10
        return model
