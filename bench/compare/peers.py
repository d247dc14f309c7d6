"""The runtimes that edgeconv is compared with: what each needs and how it is loaded and called.

A loader takes (model file, threads) and returns bind(ids, mask), which returns call(): one inference that gives
last_hidden_state [batch, sequence, hidden] as a numpy array. Nothing heavy is imported before a loader runs, so
this module can be read in every environment.
"""
import json
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np

# batch x tokens
GRID = [(1, 8), (1, 16), (1, 32), (1, 64), (1, 128), (1, 256), (8, 32)]


def shape_name(batch, sequence):
    return f"{batch}x{sequence}"


def load_onnxruntime(path, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    # The hidden states only; the pooler, one row of work, is too small to show in any figure.
    output = [session.get_outputs()[0].name]

    def bind(ids, mask):
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return lambda: session.run(output, feed)[0]
    return bind


def load_openvino(path, threads):
    import openvino
    model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": threads,
                                                        "PERFORMANCE_HINT": "LATENCY"})
    request = model.create_infer_request()

    def bind(ids, mask):
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return lambda: request.infer(feed)[0]
    return bind


def load_litert(path, threads):
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path, num_threads=threads)

    def bind(ids, mask):
        runner = interpreter.get_signature_runner("s" + shape_name(*ids.shape))
        # The signature calls its inputs args_0, args_1, args_2, in the order of the exported module.
        names = sorted(runner.get_input_details())
        feed = dict(zip(names, (array.astype(np.int32) for array in (ids, mask, np.zeros_like(ids)))))
        return lambda: next(iter(runner(**feed).values()))
    return bind


@dataclass(frozen=True)
class Peer:
    title: str
    family: str              # the step of setup.sh that makes it
    environment: str         # key of environments.json
    package: str             # whose version is reported
    model: str               # below the work directory; {minilm} stands for the folder of the fp32 files
    load: Callable
    int8: bool = True
    fixed_shapes: bool = False

    def path(self, work):
        return os.path.join(work, self.model.format(minilm=environments(work)["minilm"]))


PEERS = {
    "ort_fp32": Peer("ONNX Runtime fp32", "onnxruntime", "main", "onnxruntime", "{minilm}/minilm.onnx",
                     load_onnxruntime, int8=False),
    "ort_dyn": Peer("ONNX Runtime dynamic int8", "onnxruntime", "main", "onnxruntime", "variants/ort_dyn.onnx",
                    load_onnxruntime),
    "ort_dyn_pc": Peer("ONNX Runtime dynamic int8, per channel", "onnxruntime", "main", "onnxruntime",
                       "variants/ort_dyn_pc.onnx", load_onnxruntime),
    "ov_static": Peer("OpenVINO static int8 (NNCF)", "openvino", "main", "openvino", "variants/ov_static.xml",
                      load_openvino),
    "litert_int8": Peer("LiteRT XNNPACK int8", "litert", "litert", "ai-edge-litert",
                        "variants/litert_int8.tflite", load_litert, fixed_shapes=True),
}


def environments(work):
    with open(os.path.join(work, "environments.json"), encoding="utf-8") as file:
        return json.load(file)


def why_missing(work, name):
    """None when the peer can be measured, else the reason in a few words."""
    peer = PEERS[name]
    mark = os.path.join(work, "missing", peer.family)
    if os.path.exists(mark):
        with open(mark, encoding="utf-8", errors="replace") as file:
            return file.read().strip() or "its setup failed"
    if not os.path.exists(peer.path(work)):
        return "its model was not made"
    return None
