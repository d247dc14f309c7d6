"""make_variants.py WORKDIR NAME...: quantized forms of minilm.onnx in WORKDIR/variants; what exists is left alone.

ort_dyn     ONNX Runtime dynamic int8 with its defaults (one scale per weight tensor)
ort_dyn_pc  the same with one scale per output channel
ov_static   OpenVINO static int8: NNCF with its transformer preset, calibrated on 200 texts
"""
import json
import os
import sys

import numpy as np


def calibration_inputs(work):
    tokens = np.load(os.path.join(work, "texts", "tokens.npz"))
    for ids, length in zip(tokens["calibration_ids"], tokens["calibration_lengths"]):
        row = ids[None, :length]
        yield {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}


def ort_dynamic(per_channel):
    def make(work, source, target):
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from onnxruntime.quantization.shape_inference import quant_pre_process
        prepared = os.path.join(work, "variants", "ort_prepared.onnx")
        # The preparation that ONNX Runtime's own guide asks for; symbolic shapes are not needed here.
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        unfinished = target + ".part"
        quantize_dynamic(prepared, unfinished, weight_type=QuantType.QInt8, per_channel=per_channel)
        os.remove(prepared)
        os.replace(unfinished, target)
    return make


def openvino_static(work, source, target):
    import nncf
    import openvino
    inputs = list(calibration_inputs(work))
    quantized = nncf.quantize(openvino.Core().read_model(source), nncf.Dataset(inputs),
                              model_type=nncf.ModelType.TRANSFORMER, subset_size=len(inputs))
    stem = target.removesuffix(".xml")
    openvino.save_model(quantized, stem + ".part.xml", compress_to_fp16=False)
    # The .xml last: it is the file whose presence means that the step is done.
    os.replace(stem + ".part.bin", stem + ".bin")
    os.replace(stem + ".part.xml", target)


VARIANTS = {
    "ort_dyn": ("ort_dyn.onnx", ort_dynamic(per_channel=False)),
    "ort_dyn_pc": ("ort_dyn_pc.onnx", ort_dynamic(per_channel=True)),
    "ov_static": ("ov_static.xml", openvino_static),
}


def main():
    if len(sys.argv) < 3 or any(name not in VARIANTS for name in sys.argv[2:]):
        sys.exit(__doc__)
    work = sys.argv[1]
    with open(os.path.join(work, "environments.json"), encoding="utf-8") as file:
        source = os.path.join(json.load(file)["minilm"], "minilm.onnx")
    for name in sys.argv[2:]:
        file_name, make = VARIANTS[name]
        target = os.path.join(work, "variants", file_name)
        if not os.path.exists(target):
            make(work, source, target)
            print(f"made {file_name}", flush=True)


if __name__ == "__main__":
    main()
