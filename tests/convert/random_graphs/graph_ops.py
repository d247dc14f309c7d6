"""All operators of random graphs, in the files beside this one."""
import elementwise_ops  # noqa: F401
import layers_ops
import movement_ops  # noqa: F401
import reductions_ops  # noqa: F401
from operator_list import OPS  # noqa: F401

# Operators that a device runs quantized.
LAYERS = [layers_ops.linear_layer, layers_ops.matmul, layers_ops.gemm, layers_ops.recurrent, layers_ops.conv, layers_ops.attention]
