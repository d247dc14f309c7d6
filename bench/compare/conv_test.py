"""What conv.py gives to the other side."""
import unittest

import conv


class InputShapes(unittest.TestCase):
    # A file need not name its dims: PP-OCR's recognition was 48 pixels high on one side and 1 on the other.
    def test_dims_that_the_file_does_not_name_are_as_large_as_those_of_the_blob(self):
        inspected = {"dims": [{"name": "unk__314", "min": 1, "max": 4}],
                     "inputs": [{"name": "x", "shape": "[1, 3, 48, 320]"}, {"name": "m", "shape": "[unk__314, 76]"}, {"name": "s", "shape": "[]"}]}
        self.assertEqual(conv.input_shapes(inspected), {"x": [1, 3, 48, 320], "m": [4, 76], "s": []})


if __name__ == "__main__":
    unittest.main()
