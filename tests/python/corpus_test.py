#!/usr/bin/env python3
"""corpus_test.py EXAMPLE_FOLDER BLOB.ert: python/example/embed_corpus.py on Ray Data, and its functions on pandas and Dask.

Workers of two instruction sets, one of which is killed in the middle: every text is there once, with the bits that this process computes. Needs ray[data],
dask[dataframe] and pyarrow beside the module edgeconv.
"""
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import numpy as np
import pandas
import pyarrow.parquet

sys.path.insert(0, sys.argv[1])
os.environ["PYTHONPATH"] = sys.argv[1] + os.pathsep + os.environ.get("PYTHONPATH", "")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
BLOB = pathlib.Path(sys.argv[2]).resolve()
FOLDER = pathlib.Path(os.environ.setdefault("ERT_CORPUS_FOLDER", tempfile.mkdtemp(prefix="ert-corpus-")))  # of the workers too
import edgeconv as ert  # noqa: E402
import embed_corpus  # noqa: E402

WORDS = "the cat sat a dog".split()
TEXTS = [" ".join(WORDS[(i * k) % 5] for k in range(1, 2 + i % 9)) + f" {i}" for i in range(4000)]


class KilledOnce(embed_corpus.Embed):
    """The first worker that gets here dies without a word, as one whose machine is taken away."""

    def __call__(self, batch):
        try:
            os.close(os.open(FOLDER / "killed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            done = super().__call__(batch)
            # One that is first on a busy machine would do everything: each waits for a worker of the other level.
            (FOLDER / f"level-{done['isa'][0]}").touch()
            for _ in range(600):
                if len(list(FOLDER.glob("level-*"))) == 2:
                    break
                time.sleep(0.1)
            return done
        os.kill(os.getpid(), signal.SIGKILL)


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = ert.Model(BLOB).encode(TEXTS)

    def same_bits(self, vectors):
        self.assertEqual(np.asarray(vectors, np.float32).tobytes(), self.expected.tobytes())

    def test_ray_with_workers_of_two_levels_one_of_which_is_killed(self):
        import ray
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="error")
        (FOLDER / "texts.txt").write_text("\n".join(TEXTS) + "\n")
        rows = embed_corpus.read(FOLDER / "texts.txt").repartition(16)
        levels = [ert.isa_available()[-1], "ref"] if "ref" != ert.isa_available()[-1] else [ert.isa_available()[0], "ref"]
        embed_corpus.embed(rows, BLOB, FOLDER / "out", 2, levels, KilledOnce)
        ray.shutdown()
        self.assertTrue((FOLDER / "killed").exists())
        table = pyarrow.parquet.read_table(FOLDER / "out").to_pandas()
        table = table.assign(line=[int(i.split(":")[1]) for i in table["id"]]).sort_values("line")
        self.assertEqual(table["line"].tolist(), list(range(1, len(TEXTS) + 1)), "each text once")
        self.assertEqual(table["text"].tolist(), TEXTS)
        self.assertEqual(set(table["isa"]), set(levels), "both levels took part")
        self.same_bits(np.stack(table["vector"].tolist()))

    def test_the_function_for_frames(self):
        self.same_bits(embed_corpus.embed_frame(pandas.DataFrame({"text": TEXTS}), BLOB)["vector"].tolist())

    def test_dask(self):
        import dask.dataframe
        frame = dask.dataframe.from_pandas(pandas.DataFrame({"text": TEXTS}), npartitions=5)
        done = frame.map_partitions(embed_corpus.embed_frame, BLOB, meta={"text": "object", "vector": "object"}).compute(scheduler="processes")
        self.same_bits(done["vector"].tolist())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
