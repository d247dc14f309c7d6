"""What sizes.py counts, what it reads of TFLite Micro's words, and ratios to CMSIS-NN."""
import unittest

import cmsis_nn
import sizes
import tflm_arena


class Weights(unittest.TestCase):
    def test_are_those_that_layers_multiply_by_each_once(self):
        initializers = {"w": [8, 3, 3, 3], "bias": [8], "shared": [10, 4], "shape": [2]}
        nodes = [("Conv", ["x", "w", "bias"]), ("Gemm", ["y", "shared"]), ("MatMul", ["z", "shared"]), ("MatMul", ["q", "k"]), ("Reshape", ["z", "shape"])]
        self.assertEqual(sizes.weight_elements(initializers, nodes), 8 * 27 + 40)


class Arena(unittest.TestCase):
    def test_is_the_total_that_was_written_last(self):
        text = "[RecordingMicroAllocator] Arena allocation total 24240 bytes\n[RecordingMicroAllocator] Arena allocation head 16000 bytes\n"
        self.assertEqual(tflm_arena.total(text), 24240)

    def test_is_nothing_where_nothing_was_written(self):
        self.assertIsNone(tflm_arena.total("Failed to allocate tensors"))


class Cells(unittest.TestCase):
    def test_have_one_for_each_column(self):
        form = {"blob_bytes": 5100, "arena_bytes": 300, "instructions_m": {"m4": 1.5, "m55": None}}
        row = {"weights": 1000, "auto": form, "int8": form, "tflm_arena": 200}
        shown = list(sizes.cells(row))
        self.assertEqual(len(shown), len(sizes.HEAD) - 1)
        self.assertEqual(shown[2], "1.00")
        self.assertEqual(shown[7], "1.50")


class Linear(unittest.TestCase):
    def test_is_compared_with_the_faster_function_of_cmsis_nn(self):
        self.assertEqual(cmsis_nn.linear_line("m55", {"dense": 592.4, "conv": 246.0, "product": 206.5, "op": 233.8}), "| m55 | 592 | 246 | 206 | 234 | 1.19 | 1.05 |")


if __name__ == "__main__":
    unittest.main()
