"""bench/board.sh USER@HOST|local [option ...]: measures edgeconv on a board and prints the row to add to a table.

USER@HOST is reached by ssh: ert-bench is built here for its architecture (AArch64, ARMv7, RISC-V, this machine's own) and copied with the blob to
~/edgeconv-board. `local` measures this machine: what to run in a clone on the board itself. Where the board has python3 with venv and pip, LiteRT and
ONNX Runtime are installed there and run in turns with edgeconv, if WORKDIR has their forms of the model; else the row has edgeconv alone, and a line says why.

Environment: ERT_BENCH is an ert-bench for the board (nothing is built then), EDGECONV the converter.
Exit codes: 0 ok, 1 a step failed or the board cannot be used, 2 usage, 4 no ssh, no compiler or an unknown architecture, 6 a file is missing."""
import argparse
import json
import os
import pathlib
import re
import shlex
import sys
import time

import builds
import identity
import row
from machines import FAILED, USAGE, Local, Remote, Trouble

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import machine as described  # noqa: E402

SHAPES = "1x8,1x16,1x32,1x64,1x128,1x256,8x32"
# Peers of bench/compare: package, module, form of MiniLM below WORKDIR. The pins are those of bench/compare/requirements_*.txt.
PEERS = {"litert_int8": ("ai-edge-litert", "ai_edge_litert", "variants/litert_int8.tflite"),
         "ort_dyn_pc": ("onnxruntime", "onnxruntime", "variants/ort_dyn_pc.onnx")}
# What in_turns.py needs of this checkout.
TREE = ("bench/board/in_turns.py", "bench/compare/*.py", "tests/checks/isa_levels.py", "kernels_int8/contract/isa_levels.inc")


def shape_list(text):
    shapes = text.split(",")
    if not all(re.fullmatch(r"[1-9]\d*x[1-9]\d*", shape) for shape in shapes):
        raise argparse.ArgumentTypeError(f"{text}: shapes are BATCHxTOKENS, with commas: 1x8,8x32")
    return shapes


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: a number from 1")
    return int(text)


def arguments():
    parser = argparse.ArgumentParser(prog="bench/board.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", metavar="USER@HOST|local")
    parser.add_argument("--model", type=pathlib.Path, help="a .ert, or an .onnx to convert (WORKDIR/minilm/minilm.onnx); peers run beside files named minilm*")
    parser.add_argument("--shapes", type=shape_list, default=SHAPES.split(","), help=f"batch x tokens ({SHAPES})")
    parser.add_argument("--threads", type=positive, default=1, help="the calling one included (1)")
    parser.add_argument("--rounds", type=positive, default=5, help="turns at each shape beside peers (5)")
    parser.add_argument("--cpu", type=int, help="the core of one-thread runs (whichever the system gives; beside peers the first)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/compare", metavar="WORKDIR",
                        help="made by bench/compare/setup.sh: variants/ has the peers' forms of MiniLM (build/compare)")
    parser.add_argument("--no-peers", action="store_true", help="edgeconv alone")
    options = parser.parse_args()
    if options.board.startswith("-") or not options.board:
        parser.error("the board is USER@HOST or local")
    options.model = options.model or options.work / "minilm/minilm.onnx"
    return options


class Session:
    """ert-bench and a blob on a machine."""

    def __init__(self, options, machine, known, program, blob):
        self.options, self.machine, self.known = options, machine, known
        files = {"ert-bench": program, "model.ert": blob}
        self.forms = {name: options.work / form for name, (_, _, form) in PEERS.items() if (options.work / form).is_file()}
        self.alone = self.why_alone(blob)
        if not self.alone and isinstance(machine, Remote):
            files.update({f"work/{PEERS[name][2]}": form for name, form in self.forms.items()})
            files.update({f"tree/{path.relative_to(ROOT)}": path for pattern in TREE for path in ROOT.glob(pattern)})
        placed = machine.place(files)
        self.program, self.blob = placed["ert-bench"], placed["model.ert"]
        self.work = options.work.resolve() if isinstance(machine, Local) else machine.folder / "work"

    def why_alone(self, blob):
        """The reason why no peer can run, or None."""
        if self.options.no_peers:
            return "--no-peers"
        if not blob.name.startswith("minilm"):
            return f"peers have forms of MiniLM only, and {blob.name} is not named minilm*"
        others = [shape for shape in self.options.shapes if shape not in SHAPES.split(",")]
        if others:
            return f"the peers' forms have no {', '.join(others)}"
        return None if self.forms else f"{self.options.work}/variants has no {' or '.join(pathlib.Path(form).name for _, _, form in PEERS.values())}: bench/compare/setup.sh makes them"

    def bench(self, shapes, runs):
        """The JSON of one ert-bench over these shapes."""
        pin = ["taskset", "-c", str(self.options.cpu)] if self.options.cpu is not None and self.options.threads == 1 else []
        asked = [part for shape in shapes for part in ("--shape", "batch={},sequence={}".format(*shape.split("x")))]
        command = [*pin, self.program, self.blob, *asked, "--threads", self.options.threads, "--runs", runs, "--json"]
        done = self.machine.ask(shlex.join(map(str, command)))
        if done.returncode != 0:
            raise Trouble(FAILED, f"ert-bench on {self.machine.name} ended with {done.returncode} (codes: bench/README.md), as it says above")
        return json.loads(done.stdout)

    def interpreter(self):
        """A Python of the board that has numpy and the packages of some peers: (its path, {peer: why not}), or (None, reasons)."""
        made = self.work / "environments.json"
        if isinstance(self.machine, Local) and made.is_file():
            return json.loads(made.read_text())["main"], {}
        line = "python3 -m venv venv >&2" if self.machine.ask("test -x venv/bin/pip").returncode else "true"
        if self.machine.ask(line).returncode != 0:
            return None, {"peers": f"{self.machine.name} has no python3 with venv and pip (Debian: python3-venv)"}
        python, missing = f"{self.machine.folder}/venv/bin/python", {}
        for name, package, module in [("numpy", "numpy", "numpy")] + [(name, *PEERS[name][:2]) for name in self.forms]:
            install = f"{python} -m pip install -q --only-binary=:all:"
            # The version that other tables have; if there is none for this board, the newest.
            pinned = next((f"{install} {pin} >&2 2>/dev/null || " for pin in pins(package)), "")
            if self.machine.ask(f"{python} -c 'import {module}' 2>/dev/null || {pinned}{install} {package} >&2").returncode != 0:
                missing[name] = f"pip has no {package} for {self.machine.name}"
        return (None, missing) if "numpy" in missing or len(missing) == len(self.forms) else (python, missing)

    def beside_peers(self):
        """What in_turns.py found, or None with the reason in self.alone."""
        python, missing = self.interpreter()
        if python is None:
            self.alone = "; ".join(missing.values())
            return None
        options = {"shapes": self.options.shapes, "threads": self.options.threads, "rounds": self.options.rounds, "cpu": self.options.cpu,
                   "peers": [name for name in self.forms if name not in missing]}
        command = [python, "-W", "ignore", self.machine.tree / "bench/board/in_turns.py", self.work, self.blob, json.dumps(options)]
        done = self.machine.ask(f"ERT_BENCH={shlex.quote(str(self.program))} {shlex.join(map(str, command))}")
        if done.returncode != 0:
            raise Trouble(FAILED, f"the turns beside peers on {self.machine.name} ended with {done.returncode}, as they say above; --no-peers measures edgeconv alone")
        found = json.loads(done.stdout.splitlines()[-1])
        found["missing"].update(missing)
        return found


def pins(package):
    """['numpy==2.4.6'] of bench/compare's requirements."""
    lines = [line.strip() for file in sorted((ROOT / "bench/compare").glob("requirements_*.txt")) for line in file.read_text().splitlines()]
    return [line for line in dict.fromkeys(lines) if line.startswith(f"{package}==")]


def measure(options, session):
    """(one ert-bench's JSON, {shape: us}, {shape: [peer, ratio]}, {package: version}, remarks)"""
    first = session.bench(options.shapes, 25 if session.alone else 5)
    loops, remarks = list(first["clock_loop_us"]), []
    beside = None if session.alone else session.beside_peers()
    if beside and beside["us"]:
        # The clock after the turns, too: a board that warmed up is slower by then.
        loops += session.bench(options.shapes[:1], 5)["clock_loop_us"]
        remarks = beside["notes"] + [f"{name} is left out: {reason}" for name, reason in beside["missing"].items()]
        us, closest, versions = beside["us"], beside["closest"], beside["versions"]
    else:
        us, closest, versions = dict(zip(options.shapes, (result["p50_us"] for result in first["results"]))), {}, {}
        remarks = [f"edgeconv alone: {session.alone or 'no peer ran: ' + str(beside['missing'])}"]
    moved = row.clock_warning(loops)
    return first, us, closest, versions, remarks + ([f"warning: {moved}"] if moved else [])


def main():
    options = arguments()
    machine = Local(ROOT) if options.board == "local" else Remote(options.board)
    known = identity.of(machine)
    if options.cpu is not None and options.cpu not in known.usable:
        raise Trouble(USAGE, f"--cpu {options.cpu}: the cores of {machine.name} that are on and may be used are {', '.join(map(str, known.usable))}")
    program = builds.bench_program(ROOT, known.architecture, isinstance(machine, Local))
    blob = builds.blob_of(ROOT, options.model)
    first, us, closest, versions, remarks = measure(options, Session(options, machine, known, program, blob))
    remarks += [f"warning: {line}" for line in known.advice(options.threads, options.cpu)]
    core = f", core {options.cpu}" if options.cpu is not None else ""
    facts = [("date", time.strftime("%Y-%m-%d")), ("machine", f"{known.cpu(first['cpu'])}{core}; governor {known.governor()}"),
             ("level", first["results"][0]["isa"]), ("threads", options.threads), ("model", blob.name), ("commit", "that of ERT_BENCH" if os.environ.get("ERT_BENCH") else described.revision(str(ROOT))),
             ("versions", ", ".join([first["compiler"], *(f"{name} {version}" for name, version in versions.items())]))]
    print("\n" + row.text(facts, options.shapes, us, closest) + "\n\n" + row.legend(options.shapes, closest))
    for line in [*remarks, machine.farewell()]:
        if line:
            print(line)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    try:
        sys.exit(main())
    except Trouble as trouble:
        print(f"board.sh: {trouble}", file=sys.stderr)
        sys.exit(trouble.code)
