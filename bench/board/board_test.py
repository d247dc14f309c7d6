"""bench/board.sh with an ssh that runs its lines in a folder of this machine, a scp that copies there, and an ert-bench and a Python whose answers are known:
what is copied, what is run, the row, and every failure with its code. No network, no peers, nothing is built."""
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "compare")]
# Only figures pass through here, no arrays.
sys.modules.setdefault("numpy", types.ModuleType("numpy"))
import builds  # noqa: E402
import identity  # noqa: E402
import in_turns  # noqa: E402
import row  # noqa: E402

SSH = '#!/bin/sh\n[ "$1" = pi@board ] || exit 255\nshift\nHOME=$BOARD_HOME PATH=$BOARD_PATH:$PATH; export HOME PATH; cd "$HOME" && exec sh -c "$*"\n'
SCP = '#!/bin/sh\nfor last in "$@"; do :; done\nset -- "$@"\nwhile [ $# -gt 1 ]; do case "$1" in -*) ;; *) cp -r "$1" "$BOARD_HOME/${last#*:}" || exit 1 ;; esac; shift; done\n'
# Two shapes, 250 and 1,000 us; the loop of arithmetic takes as long as the file CLOCK says.
BENCH = """#!/bin/sh
echo "$@" >> "$BOARD_HOME/calls"
echo '{"cpu": "a core", "compiler": "gcc 12.2.0", "clock_loop_us": '$(cat "$BOARD_HOME/clock")',
"results": [{"isa": "neon", "p50_us": 250.0}, {"isa": "neon", "p50_us": 1000.0}]}'
"""
UNAME = "#!/bin/sh\necho ${BOARD_UNAME:-aarch64}\n"
NO_PYTHON = "#!/bin/sh\nexit 127\n"
# The Python of the board's venv: in_turns.py gives what the real one would.
TURNS = """#!/bin/sh
case "$*" in *in_turns.py*) test -f "$3" -a -f "$HOME/edgeconv-board/tree/bench/compare/speed.py" -a -f "$HOME/edgeconv-board/work/variants/litert_int8.tflite" || exit 1
echo noise; echo '{"us": {"1x8": 240, "1x16": 900}, "closest": {"1x8": ["LiteRT", 1.2], "1x16": ["ONNX Runtime", 1.35]}, "versions": {"ai-edge-litert": "2.3.0"},
"missing": {}, "notes": []}' | tr -d '\\n' ;; esac
"""


class Board(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home, self.path = self.folder / "home", self.folder / "path"
        for name in (self.home, self.path, self.folder / "board", self.folder / "work/variants"):
            name.mkdir(parents=True)
        self.script("path/ssh", SSH)
        self.script("path/scp", SCP)
        self.script("board/uname", UNAME)
        self.script("board/python3", NO_PYTHON)
        self.bench = self.script("ert-bench-for-it", BENCH)
        (self.folder / "minilm.ert").write_text("a blob")
        (self.home / "clock").write_text("[100, 102]")
        self.variables = {"ERT_BENCH": str(self.bench)}

    def script(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def call(self, *options, board="pi@board", path=None, model="minilm.ert"):
        environment = {**os.environ, "BOARD_HOME": str(self.home), "BOARD_PATH": str(self.folder / "board"), "PATH": path or f"{self.path}:{os.environ['PATH']}",
                       "PYTHONDONTWRITEBYTECODE": "1", **self.variables}
        for name in ("ERT_BENCH", "EDGECONV"):
            if name not in self.variables:
                environment.pop(name, None)
        command = [HERE.parent / "board.sh", board, "--model", self.folder / model, "--work", self.folder / "work", "--shapes", "1x8,1x16", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=250, env=environment, check=False)

    def fails(self, code, reason, *options, **how):
        done = self.call(*options, **how)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def row_of(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("| date |"))
        return [cell.strip() for cell in lines[at + 2].strip("|").split("|")]

    def test_row_of_edgeconv_alone_says_why(self):
        done = self.call("--threads", "1", "--no-peers")
        cells = self.row_of(done)
        self.assertEqual(cells[2:], ["neon", "1", "minilm.ert", "that of ERT_BENCH", "gcc 12.2.0", "250", "1,000", ""])
        self.assertIn("edgeconv alone: --no-peers", done.stdout)
        self.assertNotIn("clock moved", done.stdout)
        call = (self.home / "calls").read_text()
        self.assertIn(f"{self.home}/edgeconv-board/model.ert --shape batch=1,sequence=8 --shape batch=1,sequence=16 --threads 1", call)
        self.assertEqual((self.home / "edgeconv-board/model.ert").read_text(), "a blob")

    def test_board_without_python_gives_own_figures(self):
        (self.folder / "work/variants/litert_int8.tflite").write_text("a form")
        done = self.call()
        self.assertEqual(self.row_of(done)[-3:], ["250", "1,000", ""])
        self.assertIn("edgeconv alone: pi@board has no python3 with venv and pip", done.stdout)

    def test_row_beside_peers(self):
        (self.folder / "work/variants/litert_int8.tflite").write_text("a form")
        self.script("home/edgeconv-board/venv/bin/pip", "#!/bin/sh\n")
        self.script("home/edgeconv-board/venv/bin/python", TURNS)
        done = self.call()
        self.assertEqual(self.row_of(done)[-4:], ["gcc 12.2.0, ai-edge-litert 2.3.0", "240; 1.20", "900; 1.35", "1.27"])
        self.assertIn("Closest: LiteRT at 1x8; ONNX Runtime at 1x16.", done.stdout)
        self.assertIn("Left on pi@board for the next run", done.stdout)

    def test_peers_have_forms_of_minilm_and_of_its_shapes_only(self):
        shutil.copy(self.folder / "minilm.ert", self.folder / "other.ert")
        (self.folder / "work/variants/litert_int8.tflite").write_text("a form")
        self.assertIn("other.ert is not named minilm*", self.call(model="other.ert").stdout)
        self.assertIn("the peers' forms have no 2x7", self.call("--shapes", "1x8,2x7").stdout)
        (self.folder / "work/variants/litert_int8.tflite").unlink()
        self.assertIn("bench/compare/setup.sh makes them", self.call().stdout)

    def test_clock_that_moved_and_too_many_threads_are_warned_of(self):
        (self.home / "clock").write_text("[100, 121]")
        done = self.call("--threads", "4096")
        self.assertIn("warning: the clock moved: the same loop of arithmetic took 100 to 121 us", done.stdout)
        self.assertIn("warning: 4096 threads on", done.stdout)

    def test_this_machine_needs_no_ssh(self):
        self.script("path/ssh", "#!/bin/sh\nexit 1\n")
        self.assertEqual(self.row_of(self.call(board="local"))[-3:], ["250", "1,000", ""])

    def test_failures_say_what_to_do(self):
        self.fails(2, "shapes are BATCHxTOKENS", "--shapes", "8")
        self.fails(2, "a number from 1", "--threads", "0")
        self.fails(2, "--cpu 4096", "--cpu", "4096")
        self.fails(2, "unrecognized arguments: --nosuch", "--nosuch")
        self.fails(1, "pi@elsewhere cannot be used: ssh ended with 255", board="pi@elsewhere")
        self.fails(6, "bench/models/minilm.sh makes minilm.onnx", model="missing.ert")
        self.script("ert-bench-for-it", "#!/bin/sh\nexit 4\n")
        self.fails(1, "ert-bench on pi@board ended with 4")
        self.variables = {"ERT_BENCH": str(self.folder / "missing")}
        self.fails(6, "ERT_BENCH: there is no")
        (self.folder / "minilm.onnx").write_text("a model")
        self.variables = {"ERT_BENCH": str(self.bench), "EDGECONV": str(self.folder / "missing")}
        self.fails(6, "must be converted, and there is no", model="minilm.onnx")

    def test_without_compiler_or_ssh_or_for_an_unknown_architecture(self):
        self.variables = {"BOARD_UNAME": "m68k"}
        self.fails(4, "the board is m68k, which no preset builds for; known: aarch64, armv7l, riscv64")
        # A path without compilers, and then without ssh.
        few = self.folder / "few"
        few.mkdir()
        for program in ("sh", "python3", "dirname", "cat", "tr", "getconf", "mkdir"):
            (few / program).symlink_to(sys.executable if program == "python3" else shutil.which(program))
        self.variables = {"BOARD_UNAME": "armv7l"}
        self.fails(4, "no arm-linux-gnueabihf-g++ to build for armv7l: install g++-arm-linux-gnueabihf", path=f"{self.path}:{few}")
        self.fails(4, "this machine has no ssh", path=str(few))


class Identity(unittest.TestCase):
    def test_cores_of_arm_have_names(self):
        cpuinfo = "".join(f"CPU implementer : 0x41\nCPU part\t: {part}\n" for part in ["0xd03"] * 4 + ["0xd08"] * 2)
        known = identity.Identity(["aarch64", cpuinfo, "ondemand\n" * 6, "1416000\n" * 4 + "1800000\n" * 2, "A board", "6", "0-5", "0-5"])
        self.assertEqual(known.cpu(""), "A board: 4 x Cortex-A53 + 2 x Cortex-A72")
        self.assertEqual(len(list(known.advice(1, None))), 2)
        self.assertEqual(len(list(known.advice(7, None))), 2)
        self.assertEqual(len(list(known.advice(1, 5))), 1)

    def test_cores_that_are_off_or_not_allowed_are_not_counted(self):
        def usable(count, online, allowed):
            return identity.Identity(["x86_64", "", "", "", "", count, online, allowed]).usable
        self.assertEqual(usable("3", "0,4-5", "0-7"), [0, 4, 5])
        self.assertEqual(usable("4", "0-3", "2"), [2])
        self.assertEqual(usable("4", "", ""), [0, 1, 2, 3])
        self.assertEqual(usable("", "", ""), [0])


class Builds(unittest.TestCase):
    def test_only_the_program_is_built(self):
        for architecture, local, preset in (("x86_64", True, "release"), ("aarch64", False, "cross-aarch64" if builds.platform.machine() != "aarch64" else "release")):
            folder, arguments = builds.configured(pathlib.Path("root"), architecture, local)
            self.assertEqual(arguments[:4], ["--preset", preset, "-B", folder])
            self.assertLessEqual({"-DERT_DEVELOPER=OFF", "-DERT_BUILD_CONVERTER=OFF", "-DERT_BUILD_TOOLS=ON"}, set(arguments))


class Turns(unittest.TestCase):
    def test_closest_int8_peer_of_each_shape(self):
        speed, report, peers = (importlib.import_module(name) for name in ("speed", "report", "peers"))
        measured = {"results": {1: {"edgeconv": {"1x8": {"median_us": 10.0}}}}, "failed": {1: {"ort_dyn_pc": "ended early"}}, "foreign": {"disturbed": 0},
                    "ratios": {1: {"litert_int8": {"1x8": 1.4, "geomean": 1.4}, "ort_fp32": {"1x8": 1.1, "geomean": 1.1}}}}
        found = in_turns.summary(measured, ["1x8"], 1, peers, speed, report)
        self.assertEqual((found["us"], found["closest"]), ({"1x8": 10.0}, {"1x8": ["LiteRT XNNPACK int8", 1.4]}))
        self.assertEqual(list(found["missing"].values()), ["ended early"])
        json.dumps(found)

    def test_row_without_all_ratios_has_no_geomean(self):
        self.assertTrue(row.text([("date", "today")], ["1x8", "1x16"], {"1x8": 1000, "1x16": 2000}, {"1x8": ["LiteRT", 1.5]}).endswith("| today | 1,000; 1.50 | 2,000 |  |"))


if __name__ == "__main__":
    unittest.main()
