"""Writes an ONNX encoder of the size of MiniLM-L6 (384 wide, 6 layers, 12 heads, 1536 inner) with weights from a fixed seed, for digests of a model whose
layers fill whole tiles. Inputs as those of the language model, whose ids it takes; output: the mean over tokens. The file is written
field by field, so that no ONNX package is needed.

usage: encoder_model.py MODEL.onnx [LAYERS]"""
import pathlib
import random
import struct
import sys

WIDTH, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS = 384, 6, 12, 1536, 8192, 128
FLOAT, INT64 = 1, 7
ATTRIBUTE_FLOAT, ATTRIBUTE_INT, ATTRIBUTE_INTS = 1, 2, 7


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    """One protobuf field: an int, a string, or bytes (a message)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


class Writer:
    """Nodes and constants of a model; each gives the name of its value."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.initializers, self.values = [], [], 0
        # A byte is a weight: the levels are those of a normal distribution, cut at three sigma.
        self.levels = [struct.pack("<f", (sum(self.random.random() for _ in range(12)) - 6) / 2) for _ in range(256)]

    def node(self, op, inputs, **attributes):
        self.values += 1
        name = f"v{self.values}"
        body = b"".join(field(1, i) for i in inputs) + field(2, name) + field(4, op)
        for key, value in attributes.items():
            if isinstance(value, float):
                kind, data = ATTRIBUTE_FLOAT, varint(2 << 3 | 5) + struct.pack("<f", value)
            elif isinstance(value, int):
                kind, data = ATTRIBUTE_INT, field(3, value)
            else:
                kind, data = ATTRIBUTE_INTS, b"".join(field(8, i) for i in value)
            body += field(5, field(1, key) + data + field(20, kind))
        self.nodes.append(body)
        return name

    def constant(self, dtype, dims, raw):
        self.values += 1
        name = f"c{self.values}"
        self.initializers.append(b"".join(field(1, d) for d in dims) + field(2, dtype) + field(8, name) + field(9, raw))
        return name

    def integers(self, *values):
        return self.constant(INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))

    def scalar(self, value):
        return self.constant(FLOAT, [], struct.pack("<f", value))

    def weights(self, *dims):
        count = 1
        for d in dims:
            count *= d
        return self.constant(FLOAT, dims, b"".join(map(self.levels.__getitem__, self.random.randbytes(count))))

    def linear(self, x, inputs, outputs):
        scaled = self.node("Mul", [self.weights(inputs, outputs), self.scalar(0.6 / inputs**0.5)])
        return self.node("Add", [self.node("MatMul", [x, scaled]), self.weights(outputs)])

    @staticmethod
    def output(value, name):
        return field(1, value) + field(2, name) + field(4, "Identity")

    def model(self, name, output, columns):
        """The bytes of a file whose inputs are those of the language model."""
        graph = (b"".join(field(1, n) for n in self.nodes) + field(2, name) + b"".join(field(5, i) for i in self.initializers)
                 + b"".join(field(11, described(one, INT64, "batch", "sequence")) for one in ("input_ids", "attention_mask"))
                 + field(12, described(output, FLOAT, "batch", columns)))
        return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


class Encoder(Writer):
    def __init__(self, seed, layers):
        super().__init__(seed)
        self.layers = layers

    def norm(self, x):
        scale = self.node("Add", [self.weights(WIDTH), self.scalar(3.0)])
        return self.node("LayerNormalization", [x, scale, self.weights(WIDTH)], axis=-1, epsilon=1e-12)

    def heads(self, x, perm):
        split = self.node("Reshape", [x, self.integers(0, 0, HEADS, WIDTH // HEADS)])
        return self.node("Transpose", [split], perm=perm)

    def attention(self, x, bias):
        query, key, value = (self.linear(x, WIDTH, WIDTH) for _ in range(3))
        scores = self.node("MatMul", [self.heads(query, [0, 2, 1, 3]), self.heads(key, [0, 2, 3, 1])])
        scores = self.node("Add", [self.node("Div", [scores, self.scalar((WIDTH / HEADS) ** 0.5)]), bias])
        context = self.node("MatMul", [self.node("Softmax", [scores], axis=-1), self.heads(value, [0, 2, 1, 3])])
        context = self.node("Reshape", [self.node("Transpose", [context], perm=[0, 2, 1, 3]), self.integers(0, 0, WIDTH)])
        return self.linear(context, WIDTH, WIDTH)

    def gelu(self, x):
        erf = self.node("Erf", [self.node("Div", [x, self.scalar(2**0.5)])])
        return self.node("Mul", [self.node("Mul", [x, self.node("Add", [erf, self.scalar(1.0)])]), self.scalar(0.5)])

    def graph(self):
        length = self.node("Gather", [self.node("Shape", ["input_ids"]), self.constant(INT64, [], struct.pack("<q", 1))], axis=0)
        zero, one = (self.constant(INT64, [], struct.pack("<q", v)) for v in (0, 1))
        positions = self.node("Gather", [self.weights(POSITIONS, WIDTH), self.node("Range", [zero, length, one])], axis=0)
        x = self.norm(self.node("Add", [self.node("Gather", [self.weights(VOCABULARY, WIDTH), "input_ids"], axis=0), positions]))
        mask = self.node("Cast", ["attention_mask"], to=FLOAT)
        absent = self.node("Mul", [self.node("Sub", [self.scalar(1.0), mask]), self.scalar(-10000.0)])
        bias = self.node("Unsqueeze", [absent, self.integers(1, 2)])
        for _ in range(self.layers):
            x = self.norm(self.node("Add", [self.attention(x, bias), x]))
            x = self.norm(self.node("Add", [self.linear(self.gelu(self.linear(x, WIDTH, INNER)), INNER, WIDTH), x]))
        tokens = self.node("Unsqueeze", [mask, self.integers(2)])
        total = self.node("ReduceSum", [self.node("Mul", [x, tokens]), self.integers(1)], keepdims=0)
        count = self.node("Max", [self.node("ReduceSum", [tokens, self.integers(1)], keepdims=0), self.scalar(1e-9)])
        mean = self.node("Div", [total, count])
        self.nodes.append(self.output(mean, "embedding"))
        return self.model("encoder", "embedding", WIDTH)


def described(name, dtype, *dims):
    """A ValueInfoProto; dims are names or sizes."""
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def write(path, layers=LAYERS, seed=20):
    pathlib.Path(path).write_bytes(Encoder(seed, layers).graph())


if __name__ == "__main__":
    write(sys.argv[1], *map(int, sys.argv[2:]))
