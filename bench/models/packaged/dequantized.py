"""The fp32 graph that a dynamically quantized file stands for, as ONNX: weights dequantized, activations not rounded. For timing ONNX Runtime on it."""
import re

import numpy as np
import onnx
from onnx import helper, numpy_helper

# Products of integers: the operator in floats, and which axes of the weights their zero points (a number, or one per output) lie along.
PRODUCTS = {"MatMulInteger": "MatMul", "ConvInteger": "Conv"}
LEFT_ALONE = {"DequantizeLinear"}  # of constants: ONNX Runtime folds them when it loads the file


class NotDequantized(Exception):
    pass


class _Graph:
    def __init__(self, graph):
        self.graph = graph
        self.constants = {i.name: i for i in graph.initializer}
        self.floats_of = {}  # quantized activation: the float it was made of
        self.made = 0

    def constant(self, name, what):
        if name not in self.constants:
            raise NotDequantized(f"{what} {name!r} is no constant")
        return numpy_helper.to_array(self.constants[name])

    def add(self, array):
        self.made += 1
        name = f"dequantized_{self.made}"
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array, dtype=np.float32), name))
        return name

    def product(self, node):
        lhs, rhs, *zero_points = [*node.input, "", ""][:4]
        if lhs not in self.floats_of:
            raise NotDequantized(f"{node.op_type} reads {lhs!r}, which no DynamicQuantizeLinear made")
        weights = self.constant(rhs, "weight").astype(np.float32)
        if zero_points[1]:
            zero_point = self.constant(zero_points[1], "zero point").astype(np.float32)
            if node.op_type == "ConvInteger":
                zero_point = zero_point.reshape([-1, *[1] * (weights.ndim - 1)])
            weights = weights - zero_point
        others = [n.op_type for n in self.graph.node if node.output[0] in n.input and n.op_type != "Cast"]
        if others:
            raise NotDequantized(f"{node.op_type} is read as integers by {', '.join(others)}")
        made = helper.make_node(PRODUCTS[node.op_type], [self.floats_of[lhs], self.add(weights)], node.output, node.name)
        made.attribute.extend(node.attribute)
        return made

    def lstm(self, node):
        given = [*node.input, *[""] * 12][:12]
        weights = []
        for values, scale, zero_point in ((1, 8, 9), (2, 10, 11)):
            w = self.constant(given[values], "weight").astype(np.float32)  # [directions, inputs, 4 * hidden]
            s, z = (self.constant(given[i], "scale").astype(np.float32) for i in (scale, zero_point))
            s, z = (a.reshape([w.shape[0], 1, -1]) for a in (s, z))
            weights.append(self.add(((w - z) * s).transpose(0, 2, 1)))
        made = helper.make_node("LSTM", [given[0], *weights, *given[3:8]], node.output, node.name)
        made.attribute.extend(node.attribute)
        return made

    def run(self):
        nodes = []
        for node in self.graph.node:
            if node.op_type == "DynamicQuantizeLinear":
                # The product is of floats already, so that the factor that follows it is 1.
                self.floats_of[node.output[0]] = node.input[0]
                self.graph.initializer.append(numpy_helper.from_array(np.float32(1), node.output[1]))
            elif node.op_type in PRODUCTS:
                nodes.append(self.product(node))
            elif node.op_type == "DynamicQuantizeLSTM":
                nodes.append(self.lstm(node))
            elif re.search(r"Integer|Quant|^Q[A-Z]", node.op_type) and node.op_type not in LEFT_ALONE:
                raise NotDequantized(f"operator {node.op_type}")
            elif any(a.HasField("g") or a.graphs for a in node.attribute):
                raise NotDequantized(f"{node.op_type} with a body")
            else:
                nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def dequantized(source, path):
    """Writes the fp32 graph of the ONNX file `source` to `path`. NotDequantized says what stands in the way."""
    model = onnx.load(source)
    _Graph(model.graph).run()
    read = {name for node in model.graph.node for name in node.input} | {o.name for o in model.graph.output}
    kept = [i for i in model.graph.initializer if i.name in read]
    del model.graph.initializer[:], model.graph.value_info[:]
    model.graph.initializer.extend(kept)
    onnx.save(model, path)
