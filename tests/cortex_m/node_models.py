"""An ONNX model of the ops that neither fixtures nor ONNX's node tests give a board: an LSTM, TopK and OneHot with constant parameters, a convolution
of an image. Written field by
field (onnx.proto's numbers), so that it needs no package."""
import struct

FLOAT, INT64 = 1, 7


def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, value):
    """An integer, a string, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, inputs, outputs, **integers):
    attributes = b"".join(field(5, field(1, name) + field(3, value) + field(20, 2)) for name, value in integers.items())
    return field(1, b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op) + attributes)


def constant(name, kind, dims, values):
    raw = struct.pack(f"<{len(values)}{'f' if kind == FLOAT else 'q'}", *values)
    return field(5, b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, raw))


def value(number, name, kind, dims):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, kind) + field(2, shape))))


def weights(count, step):
    return [((i * step) % 61 - 30) / 64 for i in range(count)]


def model():
    hidden = 16
    gates = 4 * hidden
    graph = [
        node("LSTM", ["x", "w", "r"], ["steps"], hidden_size=hidden), node("TopK", ["t", "k"], ["largest", "where"]),
        node("OneHot", ["i", "depth", "pair"], ["hot"]), node("Conv", ["image", "filters"], ["map"]), field(2, "nodes"),
        constant("w", FLOAT, [1, gates, hidden], weights(gates * hidden, 37)), constant("r", FLOAT, [1, gates, hidden], weights(gates * hidden, 23)),
        constant("k", INT64, [1], [3]), constant("depth", INT64, [1], [7]), constant("pair", FLOAT, [2], [0.0, 1.0]),
        constant("filters", FLOAT, [8, 3, 3, 3], weights(8 * 27, 29)), value(11, "image", FLOAT, [1, 3, 9, 9]), value(12, "map", FLOAT, [1, 8, 7, 7]),
        value(11, "x", FLOAT, [6, 2, hidden]), value(11, "t", FLOAT, [2, 9]), value(11, "i", INT64, [5]),
        value(12, "steps", FLOAT, [6, 1, 2, hidden]), value(12, "largest", FLOAT, [2, 3]), value(12, "where", INT64, [2, 3]), value(12, "hot", FLOAT, [5, 7]),
    ]
    return field(1, 8) + field(7, b"".join(graph)) + field(8, field(1, "") + field(2, 17))
