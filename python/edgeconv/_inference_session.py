"""The two calls that people know from ONNX Runtime."""
import os
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._error import Error
from ._model import Model, Tensor

_TYPES = {"float32": "tensor(float)", "int64": "tensor(int64)", "int32": "tensor(int32)", "uint8": "tensor(uint8)", "int8": "tensor(int8)", "int16": "tensor(int16)", "bool": "tensor(bool)"}


class NodeArg(NamedTuple):
    name: str
    type: str
    shape: Tuple[Union[int, str, None], ...]


def _node_arg(t: Tensor) -> NodeArg:
    return NodeArg(t.name, _TYPES[t.dtype], t.shape)


class InferenceSession:
    """A Model behind onnxruntime's names. sess_options.intra_op_num_threads is heeded, all else that onnxruntime has is accepted and without effect."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], sess_options: Any = None, providers: Any = None, **_: Any):
        threads = int(getattr(sess_options, "intra_op_num_threads", 1) or 1)
        self._model = Model(path, threads=threads)

    def get_inputs(self) -> List[NodeArg]:
        return [_node_arg(t) for t in self._model.inputs]

    def get_outputs(self) -> List[NodeArg]:
        return [_node_arg(t) for t in self._model.outputs]

    def get_providers(self) -> List[str]:
        return ["CPUExecutionProvider"]

    def run(self, output_names: Optional[Sequence[str]], input_feed: Mapping[str, Any], run_options: Any = None) -> List[np.ndarray]:
        """Outputs in the order of output_names; None or []: all."""
        results = self._model.run(input_feed)
        wanted = list(output_names or results)
        unknown = [name for name in wanted if name not in results]
        if unknown:
            raise Error(f"the model has no output '{unknown[0]}'; it has {', '.join(repr(name) for name in results)}", 1, "ARG")
        return [results[name] for name in wanted]
