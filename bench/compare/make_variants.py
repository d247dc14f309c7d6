"""make_variants.py WORKDIR MODEL NAME...: a model's quantized forms for peers; what exists is left alone.

ort_dyn     ONNX Runtime dynamic int8 with its defaults (one scale per weight tensor)
ort_dyn_pc  the same with one scale per output channel
ov_static   OpenVINO static int8: NNCF with its transformer preset; MiniLM is calibrated on 200 texts, models of random
            weights on 20 random samples and without the correction of biases, which does not change speed
ov_weights  OpenVINO with 8-bit weights and float activations: nncf.compress_weights with its defaults
"""
import os
import sys

import numpy as np

from models import MODELS, shape_name


def calibration_inputs(work, model, batch, sequence):
    if model.name != "minilm":
        return [model.full_feed(batch, sequence, seed) for seed in range(20)]
    tokens = np.load(os.path.join(work, "texts", "tokens.npz"))
    return [model.feed([ids[:length]], length)
            for ids, length in zip(tokens["calibration_ids"], tokens["calibration_lengths"])]


def ort_dynamic(per_channel):
    def make(work, model, source, target, shape):
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from onnxruntime.quantization.shape_inference import quant_pre_process
        prepared = target + ".prepared"
        # The preparation that ONNX Runtime's own guide asks for; symbolic shapes are not needed here.
        quant_pre_process(source, prepared, skip_symbolic_shape=True)
        # Where inference finds no type for a weight's product, it is float (1), as all of these are.
        quantize_dynamic(prepared, target + ".part", weight_type=QuantType.QInt8, per_channel=per_channel,
                         extra_options={"DefaultTensorType": 1})
        os.remove(prepared)
        os.replace(target + ".part", target)
    return make


def save_openvino(model, target):
    import openvino
    stem = target.removesuffix(".xml")
    openvino.save_model(model, stem + ".part.xml", compress_to_fp16=False)
    # The .xml last: it is the file whose presence means that the step is done.
    os.replace(stem + ".part.bin", stem + ".bin")
    os.replace(stem + ".part.xml", target)


def openvino_weights(work, model, source, target, shape):
    import nncf
    import openvino
    save_openvino(nncf.compress_weights(openvino.Core().read_model(source)), target)


def openvino_static(work, model, source, target, shape):
    import nncf
    import openvino
    read = openvino.Core().read_model(source)
    # OpenVINO folds the Cast behind an integer input and takes the Cast's name; the input's own stays an alias.
    rename = {name: next(iter(value.names - {name}), name) for value in read.inputs for name in value.names}
    accepted = {value.any_name for value in read.inputs}
    inputs = [{name if name in accepted else rename[name]: array for name, array in feed.items()}
              for feed in calibration_inputs(work, model, *shape)]
    advanced = None
    if model.name != "minilm":
        advanced = nncf.AdvancedQuantizationParameters(disable_bias_correction=True)
    preset = None if model.name in ("bilstm", "gru") else nncf.ModelType.TRANSFORMER
    quantized = nncf.quantize(read, nncf.Dataset(inputs), model_type=preset, subset_size=len(inputs),
                              advanced_parameters=advanced)
    save_openvino(quantized, target)


VARIANTS = {
    "ort_dyn": ("onnx", ort_dynamic(per_channel=False)),
    "ort_dyn_pc": ("onnx", ort_dynamic(per_channel=True)),
    "ov_static": ("xml", openvino_static),
    "ov_weights": ("xml", openvino_weights),
}


def main():
    if len(sys.argv) < 4 or sys.argv[2] not in MODELS or any(name not in VARIANTS for name in sys.argv[3:]):
        sys.exit(__doc__)
    work, model = sys.argv[1], MODELS[sys.argv[2]]
    for name in sys.argv[3:]:
        suffix, make = VARIANTS[name]
        # One file for all shapes is calibrated at 1x64.
        for shape in model.grid if model.fixed_files else [(1, 64)]:
            target = model.variant(work, name, suffix, shape_name(*shape))
            if not os.path.exists(target):
                make(work, model, model.peer_onnx(work, shape_name(*shape)), target, shape)
                print(f"made {model.name} {os.path.basename(target)}", flush=True)


if __name__ == "__main__":
    main()
