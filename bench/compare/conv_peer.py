"""conv_peer.py onnxruntime MODEL.onnx SHAPES: a network of conv.py by a peer, one thread, in a process and an environment of its own.
conv_peer.py litert MODEL.tflite

SHAPES is JSON, {input: sizes}. For each line of standard input, a number of seconds, times a series of calls and answers with the fastest in microseconds."""
import json
import os
import sys
import time

import numpy


def onnxruntime_call(path, shapes):
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    types = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(uint8)": "uint8"}
    draw = numpy.random.default_rng(1)
    feed = {i.name: draw.random(shapes[i.name]).astype(types[i.type]) for i in session.get_inputs()}
    return lambda: session.run(None, feed)


def litert_call(path):
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path, num_threads=1)
    interpreter.allocate_tensors()
    draw = numpy.random.default_rng(1)
    for detail in interpreter.get_input_details():
        whole = numpy.issubdtype(detail["dtype"], numpy.integer)
        values = draw.integers(-128, 128, detail["shape"]) if whole else draw.random(detail["shape"])
        interpreter.set_tensor(detail["index"], values.astype(detail["dtype"]))
    return interpreter.invoke  # without the copies of inputs and outputs


def fastest(call, seconds):
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "onnxruntime":
        call = onnxruntime_call(sys.argv[2], json.loads(sys.argv[3]))
    elif len(sys.argv) == 3 and sys.argv[1] == "litert":
        call = litert_call(sys.argv[2])
    else:
        sys.exit(__doc__)
    call()
    for line in sys.stdin:
        print(f"us {fastest(call, float(line))}", flush=True)
    os._exit(0)  # some of these libraries crash while they are taken down


if __name__ == "__main__":
    main()
