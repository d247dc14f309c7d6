#!/usr/bin/env python3
"""Writes the backend node tests of the installed onnx package as files, one folder a case.

    generate_cases.py FOLDER

The wheel has the cases as code only. Debian's libonnx-testdata (opset 17) has them as files; a newer wheel adds newer operator
versions. convert_onnx_node_test reads FOLDER when ERT_ONNX_TESTDATA names it. A case with a tolerance of its own keeps it in
the file `tolerance` (rtol atol).
"""
import pathlib
import sys
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

DEFAULT_TOLERANCE = (1e-3, 1e-7)


def as_proto(name, value):
    if isinstance(value, (list, dict)) or value is None:
        return None  # sequences, maps, absent optionals
    if hasattr(value, "SerializeToString"):
        return value
    return numpy_helper.from_array(value, name)


def write_set(folder, model, inputs, outputs):
    folder.mkdir(parents=True, exist_ok=True)
    for prefix, declared, values in (("input", model.graph.input, inputs), ("output", model.graph.output, outputs)):
        for i, (info, value) in enumerate(zip(declared, values)):
            proto = as_proto(info.name, value)
            if proto is None:
                return False
            (folder / f"{prefix}_{i}.pb").write_bytes(proto.SerializeToString())
    return True


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    warnings.simplefilter("ignore")
    written = left_out = 0
    for case in collect_testcases(None):
        if case.model is None or not case.data_sets:
            continue
        folder = root / case.name
        complete = all(write_set(folder / f"test_data_set_{i}", case.model, *s) for i, s in enumerate(case.data_sets))
        if not complete:
            left_out += 1
            continue
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        if (case.rtol, case.atol) != DEFAULT_TOLERANCE:
            (folder / "tolerance").write_text(f"{case.rtol} {case.atol}\n")
        written += 1
    print(f"onnx {onnx.__version__}: {written} cases in {root}, {left_out} left out (sequences, maps, optionals)")


main()
