#!/usr/bin/env python3
"""Made the golden blobs of this folder: a small DS-CNN (tests/digest/ds_cnn_model.py) in all precisions, in int8 over 8-bit maps, and these in bands. Once the format has a release they are never made
again; a new form of a convolution gets blobs beside them. Readers of before a form refuse them with UNSUPPORTED (a new op).

usage: make.py EDGECONV OUT"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "digest"))
import ds_cnn_model


def main(edgeconv, out):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "ds_cnn.onnx"
        ds_cnn_model.write(model, 64, 20, 2)
        maps = ("--precision", "int8", "--maps", "all")
        for name, batch, sequence, options in (
            ("int8", 4, 40, ("--precision", "int8")),
            ("w8a16", 4, 40, ("--precision", "w8a16")),
            ("w12a13", 4, 40, ("--precision", "w12a13")),
            ("fp32", 4, 40, ("--precision", "fp32")),
            ("maps", 4, 40, maps),
            ("bands", 1, 160, (*maps, "--target", "cortex-m", "--bands", "all")),
        ):
            subprocess.run([edgeconv, "convert", model, "-o", pathlib.Path(out) / f"ds_cnn_{name}.ert", *options, "--force",
                            "--dim", f"batch={batch}", "--dim", f"sequence={sequence}"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
