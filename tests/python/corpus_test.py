#!/usr/bin/env python3
"""corpus_test.py EXAMPLE_FOLDER BLOB.ert: python/example/embed_corpus.py on Ray Data, and its functions on pandas and Dask.

Workers of two instruction sets, one of which is killed in the middle: every text is there once, with the bits that this process computes. Needs ray[data],
dask[dataframe] and pyarrow beside the module edgeconv.
"""
import faulthandler
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

OTHER_LEVELS = [name for name in ert.isa_available() if name != "ref"]
LEVELS = [*OTHER_LEVELS[-1:], "ref"]  # taken in turn by workers that start
# Seconds, which end a test that hangs and are no measure of anything: for a worker of the other level to start and do a batch, and for all tests.
LONGEST_WAIT, LONGEST_RUN = 180, 600


class KilledOnce(embed_corpus.Embed):
    """A worker of the first level dies without a word, as one whose machine is taken away. The one that Ray starts for it takes the next turn, the first
    level again; had that of the second level died, none would be left of it."""

    def __call__(self, batch):
        if self.isa == LEVELS[0]:
            try:
                os.close(os.open(FOLDER / "killed", os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        done = super().__call__(batch)
        # One that is first on a busy machine would do everything: each waits until a worker of the other level has done a batch.
        (FOLDER / f"level-{done['isa'][0]}").touch()
        end = time.monotonic() + LONGEST_WAIT
        while len(list(FOLDER.glob("level-*"))) < len(LEVELS):
            assert time.monotonic() < end, "no worker of the other level"
            time.sleep(0.05)
        return done


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = ert.Model(BLOB).encode(TEXTS)

    def same_bits(self, vectors):
        self.assertEqual(np.asarray(vectors, np.float32).tobytes(), self.expected.tobytes())

    @unittest.skipUnless(OTHER_LEVELS, "this CPU has the level ref alone")
    def test_ray_with_workers_of_two_levels_one_of_which_is_killed(self):
        import ray
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="error")
        (FOLDER / "texts.txt").write_text("\n".join(TEXTS) + "\n")
        rows = embed_corpus.read(FOLDER / "texts.txt").repartition(16)
        embed_corpus.embed(rows, BLOB, FOLDER / "out", len(LEVELS), LEVELS, KilledOnce)
        ray.shutdown()
        self.assertTrue((FOLDER / "killed").exists())
        table = pyarrow.parquet.read_table(FOLDER / "out").to_pandas()
        table = table.assign(line=[int(i.split(":")[1]) for i in table["id"]]).sort_values("line")
        self.assertEqual(table["line"].tolist(), list(range(1, len(TEXTS) + 1)), "each text once")
        self.assertEqual(table["text"].tolist(), TEXTS)
        self.assertEqual(set(table["isa"]), set(LEVELS), "both levels took part")
        self.same_bits(np.stack(table["vector"].tolist()))
        print(f"Ray workers of {' and '.join(LEVELS)}, one of them killed")

    def test_the_function_for_frames(self):
        self.same_bits(embed_corpus.embed_frame(pandas.DataFrame({"text": TEXTS}), BLOB)["vector"].tolist())

    def test_dask(self):
        import dask.dataframe
        frame = dask.dataframe.from_pandas(pandas.DataFrame({"text": TEXTS}), npartitions=5)
        done = frame.map_partitions(embed_corpus.embed_frame, BLOB, meta={"text": "object", "vector": "object"}).compute(scheduler="processes")
        self.same_bits(done["vector"].tolist())


if __name__ == "__main__":
    faulthandler.dump_traceback_later(LONGEST_RUN, exit=True)
    unittest.main(argv=sys.argv[:1])
