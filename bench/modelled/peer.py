"""peer.py litert|litert_net|ort MODEL BATCH SEQUENCE MAPS: runs in the arm64 userland; one warm-up, then one inference between the syscalls that
count_blocks.c waits for. MiniLM (.tflite of make_litert.py, or .onnx) or an ONNX model with float inputs [batch, sequence, n] and perhaps lengths [batch]; litert_net: a
.tflite of one input, whose shape is in the file. MAPS gets the memory map."""
import ctypes
import shutil
import sys

import numpy as np

kind, path, batch, sequence, maps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
rng = np.random.default_rng(0)
ids = rng.integers(1000, 30000, (batch, sequence))
tokens = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}

if kind == "ort":
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = {}
    for i in session.get_inputs():
        if i.name == "lengths":
            inputs[i.name] = np.full(batch, sequence, np.int64)
        elif i.name in tokens:
            inputs[i.name] = tokens[i.name].astype(np.int64 if "64" in i.type else np.int32)
        else:
            inputs[i.name] = rng.standard_normal((batch, sequence, i.shape[2])).astype(np.float32)
    first = [session.get_outputs()[0].name]
    call = lambda: session.run(first, inputs)[0]
elif kind == "litert_net":
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path, num_threads=1)
    interpreter.allocate_tensors()
    given, made = interpreter.get_input_details()[0], interpreter.get_output_details()[0]["index"]
    x = rng.standard_normal(given["shape"]).astype(np.float32)
    interpreter.set_tensor(given["index"], x if given["dtype"] == np.float32 else (32 * x).clip(-128, 127).astype(given["dtype"]))
    call = lambda: [interpreter.invoke(), interpreter.get_tensor(made)][1]
else:
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path, num_threads=1)
    runner = interpreter.get_signature_runner(f"s{batch}x{sequence}")
    inputs = {name: x.astype(np.int32) for name, x in zip(sorted(runner.get_input_details()), tokens.values())}  # args_0, args_1, args_2
    call = lambda: next(iter(runner(**inputs).values()))

y = call()
syscall = ctypes.CDLL(None).syscall
syscall(5000, 1)
call()
syscall(5000, 2)
print(kind, y.shape, "sum of magnitudes", float(np.abs(y).sum()))
shutil.copyfileobj(open("/proc/self/maps"), open(maps, "w"))
