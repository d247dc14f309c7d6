"""edgeconv: ONNX encoders as int8 blobs that give the same bits on every CPU.

    import edgeconv as ert
    ert.convert("model.onnx", dim={"sequence": 128})         # writes model.ert, gives the summary of the conversion
    model = ert.Model("model.ert")
    model.run({"input_ids": ids, "attention_mask": mask})    # {name: array}

A blob with a tokenizer (convert(..., tokenizer=DIR)) takes texts: `Model.encode` and `Model.answer`.
"""
from ._convert import ConversionWarning, convert
from ._error import Error
from ._inference_session import InferenceSession
from ._model import Model, Tensor
from ._runtime import isa_available
from ._version import __version__

__all__ = ["ConversionWarning", "Error", "InferenceSession", "Model", "Tensor", "__version__", "convert", "isa_available"]
