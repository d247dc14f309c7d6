#!/usr/bin/env python3
"""gemm_table.py on figures that are known: medians, means, goals and what they are compared with."""
import unittest

import gemm_table


def run(level, shape, case, kind="iteration", **counters):
    name = f"{level}/gemm_f32_qa8_qw8_8x48_{level}/{shape}/{case}"
    return {"name": name, "run_name": name, "run_type": kind, **counters}


def rates(level, shape, case, values, peak):
    return [run(level, shape, case, **{"MAC/cycle": value, "%peak": 100 * value / peak}) for value in values]


class GemmTable(unittest.TestCase):
    def tables(self, runs):
        return gemm_table.tables(gemm_table.read({"benchmarks": runs}))

    def test_medians_of_repetitions_and_their_geometric_mean(self):
        runs = rates("avx512vnni", "384x384", "m:32", [200, 100, 1], 128) + rates("avx512vnni", "384x384", "m:64", [144], 128)
        text, met = self.tables(runs + [run("avx512vnni", "384x384", "m:32", "aggregate", **{"MAC/cycle": 900, "%peak": 900})])
        self.assertIn("| avx512vnni | 100 144 | 120.0 | 110 |", text)
        self.assertTrue(met)

    def test_a_missed_goal_is_seen(self):
        self.assertFalse(self.tables(rates("avx2", "384x384", "m:32", [19.9], 22))[1])
        self.assertTrue(self.tables(rates("avx2", "384x384", "m:32", [20.1], 22))[1])

    def test_the_goal_follows_the_measured_width(self):
        text, met = self.tables(rates("avx512vnni", "384x384", "m:32", [60], 64))
        self.assertIn("| 60.0 | 58 |", text)
        self.assertTrue(met)
        self.assertFalse(self.tables(rates("avx512vnni", "384x384", "m:32", [60], 128))[1])

    def test_levels_without_rows_are_named(self):
        self.assertIn("| avxvnni | not measured |", self.tables(rates("avx2", "384x384", "m:32", [21], 22))[0])

    def test_least_bandwidth(self):
        stream = [run("avx2", shape, "stream", **{"%bandwidth": share}) for shape, share in (("384x384", 90), ("768x768", 84))]
        text, met = self.tables(rates("avx2", "384x384", "m:32", [21], 22) + stream)
        self.assertIn("| avx2 | 90 | 84 | 84 | 85 |", text)
        self.assertFalse(met)

    def test_other_kernels_and_layouts_do_not_count(self):
        self.assertEqual(gemm_table.read({"benchmarks": [
            {"name": "avx2/gemm_f32_qa16_qw8_3x8_avx2/384x384/m:32", "MAC/cycle": 1},
            {"name": "i8mm/gemm_f32_qa8_qw8n8k8_8x8_i8mm/384x384/m:32", "MAC/cycle": 1}, {"name": "avx2/softmax_f32_f32_1x16_avx2/32x384"}]}), {})


if __name__ == "__main__":
    unittest.main()
