"""What conv.py gives to the other side, and what it makes of the times."""
import unittest

import conv


class InputShapes(unittest.TestCase):
    # A file need not name its dims: PP-OCR's recognition was 48 pixels high on one side and 1 on the other.
    def test_dims_that_the_file_does_not_name_are_as_large_as_those_of_the_blob(self):
        inspected = {"dims": [{"name": "unk__314", "min": 1, "max": 4}],
                     "inputs": [{"name": "x", "shape": "[1, 3, 48, 320]"}, {"name": "m", "shape": "[unk__314, 76]"}, {"name": "s", "shape": "[]"}]}
        self.assertEqual(conv.input_shapes(inspected), {"x": [1, 3, 48, 320], "m": [4, 76], "s": []})


class Ratios(unittest.TestCase):
    # Medians of quotients, not quotients of medians: a machine that is slow for a turn is slow for both sides.
    def test_are_within_turns(self):
        turns = [{"ort": 2.0, "auto": 1.0}, {"ort": 40.0, "auto": 10.0}, {"ort": 3.0, "auto": 1.0}]
        self.assertEqual(conv.ratios(turns), {"ort/auto": 3.0})

    def test_peers_and_forms_that_were_not_measured_have_none(self):
        turns = [{"ort": 2.0, "litert": 3.0, "auto": 1.0, "int8": 0.5}]
        self.assertEqual(conv.ratios(turns), {"ort/auto": 2.0, "ort/int8": 4.0, "litert/auto": 3.0, "litert/int8": 6.0})


if __name__ == "__main__":
    unittest.main()
