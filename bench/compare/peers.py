"""The runtimes that edgeconv is compared with: what each needs and how it is loaded and called.

A loader takes (model file, threads) and returns bind(feed), which takes {input: array} and returns call(): one inference that
gives the model's first output as a numpy array. Nothing heavy is imported before a loader runs, so this module can be
read in every environment.
"""
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np

from models import environments, shape_name


def load_onnxruntime(path, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    # The first output only; MiniLM's pooler, one row of work, is too small to show in any figure.
    output = [session.get_outputs()[0].name]

    def bind(feed):
        return lambda: session.run(output, feed)[0]
    return bind


def load_openvino(path, threads):
    import openvino
    options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    if threads == 1:
        # It would stay on the core that it started on, whatever core its process is bound to later.
        options["ENABLE_CPU_PINNING"] = False
    model = openvino.Core().compile_model(path, "CPU", options)
    request = model.create_infer_request()

    def bind(feed):
        # By every name of an input: OpenVINO folds the Cast behind `lengths` and calls it by the Cast's name. An input
        # that is not set would be taken as empty without an error.
        named = {value.any_name: next(feed[name] for name in value.names if name in feed) for value in model.inputs}
        if len(named) != len(feed):
            raise ValueError(f"inputs {sorted(named)} for {sorted(feed)}")
        return lambda: request.infer(named)[0]
    return bind


def load_litert(path, threads):
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(path, num_threads=threads)

    def bind(feed):
        first = next(iter(feed.values()))
        runner = interpreter.get_signature_runner("s" + shape_name(*first.shape[:2]))
        # The signature calls its inputs args_0, args_1, args_2, in the order of the exported module.
        names = sorted(runner.get_input_details())
        arrays = dict(zip(names, (array.astype(np.int32) if array.dtype == np.int64 else array for array in feed.values())))
        return lambda: next(iter(runner(**arrays).values()))
    return bind


@dataclass(frozen=True)
class Peer:
    title: str
    family: str              # the step of setup.sh that makes it
    environment: str         # key of environments.json
    package: str             # whose version is reported
    suffix: str | None       # of its own form of a model; None: the fp32 file as exported
    load: Callable
    int8: bool = True
    fixed_shapes: bool = False
    held: tuple | None = None  # environment variable and value that keep its kernels from using AMX, where it has one

    def path(self, work, model, name, shape):
        return model.peer_onnx(work, shape) if self.suffix is None else model.variant(work, name, self.suffix, shape)


PEERS = {
    "ort_fp32": Peer("ONNX Runtime fp32", "onnxruntime", "main", "onnxruntime", None, load_onnxruntime, int8=False),
    "ort_dyn": Peer("ONNX Runtime dynamic int8", "onnxruntime", "main", "onnxruntime", "onnx", load_onnxruntime),
    "ort_dyn_pc": Peer("ONNX Runtime dynamic int8, per channel", "onnxruntime", "main", "onnxruntime", "onnx",
                       load_onnxruntime),
    "ov_static": Peer("OpenVINO static int8 (NNCF)", "openvino", "main", "openvino", "xml", load_openvino,
                      held=("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")),
    "ov_weights": Peer("OpenVINO 8-bit weights (NNCF)", "openvino", "main", "openvino", "xml", load_openvino, int8=False),
    "litert_int8": Peer("LiteRT XNNPACK int8", "litert", "litert", "ai-edge-litert", "tflite", load_litert,
                        fixed_shapes=True),
}
HELD = ":held"


def peer_of(row):
    """The peer that a row of the speed tables measures, None for edgeconv's."""
    return PEERS.get(row.removesuffix(HELD))


def first_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()


def why_missing(work, model, name):
    """None when the peer can be measured with this model, else the reason in a few words."""
    peer = PEERS[name]
    for mark in (peer.family, f"{model.name}.{name}"):
        mark = os.path.join(work, "missing", mark)
        if os.path.exists(mark):
            return first_line(mark) or "its setup failed"
    if not os.path.exists(peer.path(work, model, name, model.shapes()[0])):
        return "its model was not made"
    return None


def python_of(work, name):
    return environments(work)[PEERS[name].environment]
