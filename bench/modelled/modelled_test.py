"""What run.py makes of modelled cycles, where parts.py puts functions, and what scripts of bench/ say where something that another command makes is missing."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import conv
import parts
import run


class Table(unittest.TestCase):
    def test_ratio_is_that_of_the_fastest_peer(self):
        row = {"level": "i8mm", "core": "A710", "size": 32,
               "mcycles": {"edgeconv, portable": 10.0, "edgeconv, armv8-i8mm": 8.0, "LiteRT": 12.0, "ONNX Runtime": 15.0}}
        lines = run.table([row]).splitlines()
        self.assertEqual(lines[2], "| i8mm | A710 | 1x32 | portable | 10.0 | 12.0 | 15.0 | 1.20 |")
        self.assertEqual(lines[3], "| i8mm | A710 | 1x32 | armv8-i8mm | 8.0 | 12.0 | 15.0 | 1.50 |")

    def test_without_peers_there_is_no_ratio(self):
        row = {"level": "neon", "core": "A72", "size": 32, "mcycles": {"edgeconv, portable": 10.0}}
        self.assertTrue(run.table([row]).splitlines()[2].endswith("| 10.0 |  |  |  |"))


class ConvTable(unittest.TestCase):
    def test_ratios_are_of_litert_to_each_form(self):
        self.assertEqual(conv.line("ds_cnn", "dotprod", "A76", {"auto": 424.4, "int8": 356.0, "LiteRT": 1262.0}),
                         "| ds_cnn | dotprod | A76 | 424 | 356 | 1,262 | 2.97 | 3.54 |")


class Parts(unittest.TestCase):
    def test_functions_of_ours(self):
        for symbol, part in (("void ert::kernels::(anonymous namespace)::Rows8::tile<...>", "gemm"), ("ert::kernels::sums16<...>", "attention"),
                             ("void ert::kernels::(anonymous namespace)::recurrent_row16<...LstmRow<...> >", "rows"),
                             ("ert::kernels::quantizepairs_qa8_f32_2x16_i8mm(unsigned long)", "rows"), ("ert_run", "other")):
            self.assertEqual(parts.part_of(symbol, "ert-bench", set()), part)


class WhatIsMissingIsNamed(unittest.TestCase):
    def says(self, script, *arguments):
        done = subprocess.run([sys.executable, pathlib.Path(__file__).resolve().parents[1] / script, *arguments], capture_output=True, text=True, timeout=50, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr.splitlines()[-1]

    def test_with_the_command_that_makes_it(self):
        with tempfile.TemporaryDirectory() as empty:
            model = pathlib.Path(empty, "model.onnx")
            model.touch()
            self.assertIn(f"`bench/modelled/setup.sh {empty}` makes it", self.says("modelled/run.py", empty, "--onnx", model))
            self.assertIn("bench/compare/setup.sh makes the models", self.says("modelled/run.py", empty, "--onnx", f"{empty}/other.onnx"))
            self.assertIn(f"`bench/compare/conv.py {empty} --litert PYTHON` makes it", self.says("modelled/conv.py", empty, empty))
            self.assertIn("`bench/modelled/run.py", self.says("modelled/canary.py", empty))
            self.assertIn(f"`bench/compare/conv.py {empty} --litert PYTHON` makes it", self.says("size/sizes.py", empty))
            self.assertIn("is no checkout of CMSIS-NN", self.says("size/cmsis_nn.py", empty, empty))


if __name__ == "__main__":
    unittest.main()
