"""The statistics of speed.py and cores.py with contestants and a probe whose times are known; no peer is installed for this."""
import sys
import types
import unittest
from types import SimpleNamespace

# Only figures pass through here, no arrays.
sys.modules.setdefault("numpy", types.ModuleType("numpy"))

import cores  # noqa: E402
import goals  # noqa: E402
import ours  # noqa: E402
import report  # noqa: E402
import speed  # noqa: E402
from models import MODELS  # noqa: E402

SHAPES = ["1x8", "1x16"]


class Fake:
    isa = None

    def __init__(self, times, fails_at=None):
        self.times, self.fails_at, self.calls, self.closed = times, fails_at, 0, False

    def load(self, shape):
        pass

    def series(self, shape, cpus):
        self.calls += 1
        if self.calls == self.fails_at:
            raise ours.Failed(None, "gone")
        time = self.times[(self.calls - 1) % len(self.times)]
        return {"median_us": time, "least_us": time - 1}

    def cpu_seconds(self):
        return 0.0

    def close(self):
        self.closed = True


def measure(fakes, rates, rounds=6, threads=(1,)):
    """Runs speed.measure; the probe answers with `rates` one after the other, then with the last."""
    left = list(rates)

    def probe(cpus):
        rate = left.pop(0) if len(left) > 1 else left[0]
        return {cpu: rate for cpu in cpus}
    cores.ours = SimpleNamespace(probe_cores=probe, Failed=ours.Failed)
    cores.CALIBRATION_PROBES, cores.PATIENCE_SECONDS, cores.PAUSE_SECONDS = 1, 0, 0
    entries = [speed.Entry(name, lambda n, fake=fake: fake) for name, fake in fakes.items()]
    # Other work of the machine must not repeat turns here.
    return speed.measure(entries, SHAPES, SimpleNamespace(rounds=rounds, threads=list(threads), tries=1, foreign=1e9, cpu=None))


class SpeedTest(unittest.TestCase):
    def test_ratios_are_taken_within_turns(self):
        # Both are three times slower in every second turn; medians over all turns would compare different states.
        found = measure({"edgeconv": Fake([10, 30]), "ort_dyn": Fake([20, 60])}, [100.0])
        self.assertEqual(found["ratios"][1]["ort_dyn"]["1x8"], 2)
        self.assertEqual(found["ratios"][1]["ort_dyn"]["geomean"], 2)

    def test_a_peer_that_fails_later_leaves_with_its_reason(self):
        failing, other = Fake([20], fails_at=3), Fake([40])
        found = measure({"edgeconv": Fake([10]), "ort_dyn": failing, "ort_dyn_pc": other}, [100.0])
        self.assertEqual(found["failed"][1], {"ort_dyn": "gone"})
        self.assertTrue(failing.closed and other.closed)
        self.assertEqual(found["ratios"][1]["ort_dyn_pc"]["1x16"], 4)
        self.assertNotIn("ort_dyn", found["results"][1])

    def test_a_goal_is_not_met_by_the_absence_of_a_rival(self):
        found = measure({"edgeconv": Fake([10]), "ort_dyn": Fake([20], fails_at=3), "ort_dyn_pc": Fake([40])}, [100.0])
        self.assertIsNone(report.ratios_to_rivals(goals.Goal(1.2), 1, found, SHAPES))
        self.assertIsNone(report.ratios_to_rivals(goals.Goal(1.2, only="litert_int8"), 1, found, SHAPES))
        found = measure({"edgeconv": Fake([10]), "ort_dyn": Fake([20]), "ort_dyn_pc": Fake([40])}, [100.0])
        self.assertEqual(report.ratios_to_rivals(goals.Goal(1.2), 1, found, SHAPES), {"1x8": 2, "1x16": 2})

    def test_goals_come_twice_where_a_peer_is_held_back(self):
        found = measure({"edgeconv": Fake([10]), "ov_static": Fake([11]), "ov_static:held": Fake([20]), "litert_int8": Fake([30])}, [100.0])
        goal = goals.Goal(1.2)
        self.assertEqual(report.ratios_to_rivals(goal, 1, found, SHAPES), {"1x8": 1.1, "1x16": 1.1})
        self.assertEqual(report.ratios_to_rivals(goal, 1, found, SHAPES, held=True), {"1x8": 2, "1x16": 2})
        self.assertEqual(speed.fastest_int8(found["ratios"][1], "1x8", held=True), ("ov_static:held", 2))
        self.assertIn("OpenVINO static int8 (NNCF), without AMX", "\n".join(report.ratio_table(found["ratios"][1], SHAPES, 1)))

    def test_series_on_shared_cores_are_left_out_also_where_that_shows_later(self):
        # Calibration and four of seven turns meet a neighbour, who slows edgeconv more; the full rate is seen only afterwards. A series
        # is probed once on each core before and once behind.
        series = 4 * len(SHAPES) * 2
        slow = [60.0] * (1 + series * (len(cores.os.sched_getaffinity(0)) + 1))
        found = measure({"edgeconv": Fake([10] * 8 + [5] * 6), "ort_dyn": Fake([10])}, slow + [100.0], rounds=7)
        self.assertEqual(found["shared"], {"series": 28, "shared": 16, "unfiltered": []})
        self.assertEqual(found["ratios"][1]["ort_dyn"], {"1x8": 2, "1x16": 2, "geomean": 2})

    def test_without_a_probe_nothing_is_claimed_about_neighbours(self):
        found = measure({"edgeconv": Fake([10]), "ort_dyn": Fake([20])}, [0.0])
        self.assertIsNone(found["shared"])
        self.assertIn("not measured", report.shared_line(found["shared"]))
        self.assertEqual(found["ratios"][1]["ort_dyn"]["1x8"], 2)

    def test_two_threads_are_compared_with_one_within_turns(self):
        found = measure({"edgeconv": Fake([10])}, [100.0], threads=(1, 2))
        self.assertEqual(found["speedup"]["1x8"], 1)


ZEN5, ZEN4 = ({"vendor": "AuthenticAMD", "family": family, "levels": ["avx512_vnni"]} for family in ("26", "25"))
AMX, CASCADE_LAKE = ({"vendor": "GenuineIntel", "family": "6", "levels": levels} for levels in (["avx512_vnni", "amx_int8"], ["avx512_vnni"]))


class GoalsTest(unittest.TestCase):
    def bounds(self, *asked):
        return [(goal.every, goal.geomean, goal.only) for goal in goals.wanted(*asked)]

    def test_of_minilm_by_level_and_kind_of_core(self):
        self.assertEqual(self.bounds("minilm", "sse41", 1, ZEN4), [(1.25, 1.4, None)])
        self.assertEqual(self.bounds("minilm", "avx2", 2, AMX), [(1.22, 1.3, None), (1.45, 1.55, "litert_int8")])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 1, ZEN5), [(1.3, 1.45, None)])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 2, AMX), [(1.4, 1.55, None)])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 1, CASCADE_LAKE), [(1.5, 1.75, None)])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 2, CASCADE_LAKE), [(1.6, 1.85, None)])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 1, ZEN4), [])
        self.assertEqual(self.bounds("minilm", "avx512vnni", 1, {**CASCADE_LAKE, "vendor": "HygonGenuine"}), [])

    def test_of_other_models_and_levels(self):
        self.assertEqual(self.bounds("bilstm", "avx2", 2, AMX), [(1.2, None, None)])
        self.assertEqual(self.bounds("minilm", "neon", 1, {"vendor": None, "family": None, "levels": []}), [])

    def test_where_there_is_no_goal_it_is_said(self):
        found = {"shapes": SHAPES, "speed": measure({"edgeconv": Fake([20]), "ort_dyn": Fake([10])}, [100.0])}
        found["speed"]["isa"] = {"edgeconv": "avx512vnni"}
        said = [goal for goal in report.goals(MODELS["minilm"], found, ["speed"], ZEN4) if "int8 peer" in goal["text"]]
        self.assertEqual([goal["met"] for goal in said], [None])
        self.assertIn("---- avx512vnni on this kind of core, 1 thread", report.goal_lines(said))

    def test_a_run_without_levels_is_held_to_those_of_the_level_that_ran(self):
        # 1.2 times the fastest at each shape was once enough.
        found = {"shapes": SHAPES, "speed": measure({"edgeconv": Fake([10]), "ort_dyn": Fake([12])}, [100.0])}
        found["speed"]["isa"] = {"edgeconv": "avx512vnni"}
        held = [goal for goal in report.goals(MODELS["minilm"], found, ["speed"], CASCADE_LAKE) if "int8 peer" in goal["text"]]
        self.assertEqual([goal["met"] for goal in held], [False, False])
        self.assertIn("avx512vnni, 1 thread, fastest int8 peer / edgeconv at every shape", held[0]["text"])
        self.assertIn(">= 1.75: 1.20", held[1]["text"])
        self.assertTrue(all(goal["met"] for goal in report.goals(MODELS["bilstm"], found, ["speed"], CASCADE_LAKE) if "int8 peer" in goal["text"]))

    def test_not_measured_is_missed(self):
        found = {"shapes": SHAPES}
        self.assertFalse(report.goals(MODELS["minilm"], found, ["speed"], ZEN5)[0]["met"])


if __name__ == "__main__":
    unittest.main()
