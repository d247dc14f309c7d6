#!/usr/bin/env python3
"""embed_corpus.py BLOB.ert TEXTS OUT [--workers N] [--isa NAME,..]: vectors of a corpus as Parquet files, by Ray Data.

BLOB    a blob with task embed: edgeconv model.onnx --tokenizer FOLDER
TEXTS   .parquet files, or a folder of them, with the columns "id" and "text"; or a text file, a document a line, whose id is file and line
OUT     a new folder of Parquet files with id, text, vector, isa
--workers   each takes a core; Ray needs one more to read and write (default: cores - 1)
--isa   instruction sets that workers take in turn, to show that they do not matter (default: the best of each worker's CPU)

Every worker gives the same bits, whatever its CPU, so that a part may be computed again anywhere: a query on a device and the index that a cluster made agree
to the bit. Ray runs the batches of a killed worker again; a row's id and a part's file name do not depend on who computes it, so none is lost or there twice.
"""
import argparse
import itertools
import os
import pathlib
import sys

import edgeconv as ert

_models = {}  # of this process, by (blob, isa): opened and verified once


def vectors(texts, blob, isa=None):
    """float32 [texts, elements]. The function for every engine that maps batches; opens the blob once a process."""
    key = (str(blob), isa)
    if key not in _models:
        _models[key] = ert.Model(blob, isa=isa)
    return _models[key].encode([str(text) for text in texts])


def embed_frame(frame, blob):
    """A pandas frame with "text", and its vectors as lists. Spark: df.mapInPandas(lambda frames: (embed_frame(f, blob) for f in frames), schema);
    Dask: frame.map_partitions(embed_frame, blob, meta={...})."""
    return frame.assign(vector=list(vectors(frame["text"], blob).tolist()))


class Embed:
    """A worker of Ray Data: opens the blob once, maps batches. `turns`: an actor that says which instruction set the next worker takes; None: the best one."""

    def __init__(self, blob, turns=None):
        import ray
        self.blob = blob
        self.isa = ray.get(turns.next.remote()) if turns else None
        vectors([], blob, self.isa)

    def __call__(self, batch):
        batch["vector"] = vectors(batch["text"], self.blob, self.isa)
        batch["isa"] = [_models[(str(self.blob), self.isa)].isa] * len(batch["text"])
        return batch


class Turns:
    """Hands out names in turn, to workers that start."""

    def __init__(self, names):
        self.names = itertools.cycle(names)

    def next(self):
        return next(self.names)


def numbered(path):
    """Rows {"id", "text"} of a text file. A document a line, LF; bytes that are no UTF-8 become U+FFFD, as for the tokenizer."""
    with open(path, "rb") as file:
        for line, text in enumerate(file, 1):
            yield {"id": f"{path.name}:{line}", "text": text.rstrip(b"\n").decode("utf-8", "replace")}


def read(path):
    import ray
    if path.is_dir() or path.suffix == ".parquet":
        return ray.data.read_parquet(str(path))
    return ray.data.from_items(list(numbered(path)))


def embed(rows, blob, out, workers, isas=(), worker=Embed):
    """Writes rows with their vectors to the folder `out`. Ray gives the batches of a worker that dies to another one."""
    import ray
    turns = ray.remote(Turns).remote(isas) if isas else None
    done = rows.map_batches(worker, fn_constructor_args=(str(blob), turns), batch_size=256, concurrency=workers, num_cpus=1)
    done.write_parquet(str(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blob", type=pathlib.Path)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=max(1, os.cpu_count() - 1))
    parser.add_argument("--isa", default="")
    args = parser.parse_args()
    if args.out.exists():
        parser.error(f"{args.out} exists: give a new folder, so that its parts are of one run")
    rows = read(args.texts)
    if not {"id", "text"} <= set(rows.schema().names):
        parser.error(f"{args.texts} has the columns {', '.join(rows.schema().names)}; needed are id, which tells rows apart, and text")
    embed(rows, args.blob.resolve(), args.out.resolve(), args.workers, tuple(filter(None, args.isa.split(","))))


if __name__ == "__main__":
    sys.exit(main())
