#!/usr/bin/env python3
"""Networks of keras_networks.py as files of TensorFlow Lite, in fp32 (f32), hybrid (dyn) and int8 (i8), and these by tf2onnx into FOLDER: each beside TensorFlow
Lite's own interpreter of the same file and of the fp32 one. One row of a table each.

usage: EDGECONV=build/release/convert/edgeconv tflite_networks.py FOLDER [NAME...]

exit 1 if an fp32 or hybrid file that tf2onnx makes is refused, or its blob's cosine with TensorFlow Lite on the fp32 file is below .999."""

import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
import needs

needs.packages("keras", "numpy", "onnx", "tensorflow")
import keras  # noqa: E402
import numpy as np
import onnx
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from keras_networks import NETWORKS

EDGECONV = os.environ.get("EDGECONV", "edgeconv")
NAMES = ["kws_conv1d", "separable", "unet_like", "transformer"]


def inputs(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape).astype(np.float32) if "float" in dtype else rng.integers(0, 50, shape).astype(dtype)


def tflite_files(name, folder):
    """{kind: path} of a network with one sample a run; dynamic axes are 16."""
    keras.utils.set_random_seed(1)
    model = NETWORKS[name]()
    shape = [1] + [d or 16 for d in model.inputs[0].shape[1:]]
    dtype = model.inputs[0].dtype
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(tf.TensorSpec(shape, dtype))
    frozen = convert_variables_to_constants_v2(function)
    files = {}
    for kind in ("f32", "dyn", "i8"):
        converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
        if kind != "f32":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
        if kind == "i8":
            converter.representative_dataset = lambda: ([inputs(shape, dtype, s)] for s in range(20))
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        files[kind] = folder / f"{name}_{kind}.tflite"
        files[kind].write_bytes(converter.convert())
    return files


def interpret(path, x):
    interpreter = tf.lite.Interpreter(str(path))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def of_blob(model, x):
    """What the blob gives, or the first line of why not."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        name = onnx.load(model).graph.input[0].name
        for command in (["convert", str(model), "-q", "-o", f"{folder}/b.ert"],
                        ["run", f"{folder}/b.ert", "--input", f"{name}={folder}/x.npy", "--out", f"{folder}/out"]):
            done = subprocess.run([EDGECONV, *command], capture_output=True, text=True)
            if done.returncode != 0:
                return None, done.stderr.splitlines()[0]
        return np.load(next(pathlib.Path(f"{folder}/out").glob("*.npy"))), ""


def cosine(a, b):
    a, b = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    return float(a @ b / max(1e-30, np.linalg.norm(a) * np.linalg.norm(b)))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    good = True
    print("| network | file | edgeconv: cosine | TensorFlow Lite: cosine |\n|---|---|---|---|")
    for name in sys.argv[2:] or NAMES:
        files = tflite_files(name, folder)
        details = tf.lite.Interpreter(str(files["f32"])).get_input_details()[0]
        x = inputs(details["shape"], np.dtype(details["dtype"]).name, 99)
        want = interpret(files["f32"], x)
        for kind, path in files.items():
            model = path.with_suffix(".onnx")
            tf2onnx = [sys.executable, "-m", "tf2onnx.convert", "--tflite", str(path), "--output", str(model), "--opset", "17"]
            made = subprocess.run(tf2onnx, capture_output=True)
            if made.returncode != 0:
                print(f"| {name} | {kind} | tf2onnx refuses it | |")
                continue
            y, why = of_blob(model, x)
            own = f"{cosine(interpret(path, x), want):.6f}"
            print(f"| {name} | {kind} | " + (why[:60] if y is None else f"{cosine(y, want):.6f}") + f" | {own} |", flush=True)
            good &= kind == "i8" or (y is not None and cosine(y, want) >= 0.999)
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())
