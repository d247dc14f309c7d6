"""The language of each text, in Python: python3 langid.py langid.ert TEXT...

The module: `pip install .` in a checkout. The blob: edgeconv langid.onnx --tokenizer tests/models/langid.

SPDX-License-Identifier: Apache-2.0
"""
import sys
from concurrent.futures import ThreadPoolExecutor

import edgeconv as ert


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: langid.py BLOB.ert TEXT...")
    try:
        model = ert.Model(sys.argv[1])
        # Each thread has a context of its own, and the interpreter's lock is free while a model runs.
        with ThreadPoolExecutor() as pool:
            for answer in pool.map(lambda text: model.answer(text, top=1), sys.argv[2:]):
                best = answer["labels"][0]
                print(f"{best['label']} {best['score']:.4f}")
    except ert.Error as error:
        sys.exit(f"langid.py: {error}")


if __name__ == "__main__":
    main()
