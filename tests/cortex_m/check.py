#!/usr/bin/env python3
"""Checks of one Cortex-M build on its emulated board: the firmware example's transcript, its size, its stack, what its archives call,
and a canary for each detector.

usage: check.py ROOT BUILD BOARD [--golden] [--transcript]     exit 0 only if all hold
       --golden also replays the golden vectors of other models; --transcript prints what the firmware printed"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "checks"))
import firmware_size  # noqa: E402
import stack_bound  # noqa: E402
import node_models  # noqa: E402
from json_schema import errors  # noqa: E402

CHECKS = pathlib.Path(__file__).parents[1] / "checks"
# Beside the firmware example, for the functions that it does not call.
BOUNDED = ["tests/cortex_m/golden", "bench/firmware/ert-bench", "tests/digest/digest", "platform/cortex_m/example/answer/answer_firmware"]
PREFIX = "arm-none-eabi-"
STACK_LIMIT, STACK_LIMIT_ALL_OPS = 2048, 2560  # the second with RowBands, below whose run that of another op stands
# In one run; ERT_BOARD_MAX_ARGUMENTS has the program too.
MOST_BLOBS = 13
# Code of the runtime and its kernels with the language model's ops, built for size, in bytes (KB = 1000). Helium's kernels, built for speed, are
# longer than the reference.
TEXT_LIMIT = 56_000
VERIFICATION_LIMIT = 7_168  # of Thumb-2 code, header checks among it
VERIFICATION = r"libert\.a\((structure|tables|values|header|ops|lifetimes|semantics|packing|states)\.cc"  # states: the context's own too
TEXT_LIMIT_OF = {"mps3-an547": 64_000}
# The same with a convolutional network's ops (conv_ops.inc), where it was measured. The goal is 60 KB: the tables of kernels are linked whole.
CONV_TEXT_LIMIT_OF = {"mps2-an386": 83_000, "mps3-an547": 94_000}
FAULT = 90
# What the language model says of the firmware's texts, on every target.
ANSWERS = ["English", "German", "French", "Russian", "Greek", "Japanese", "Arabic", "no letters"]
LINES = ["Where is the station, please?", "Am Montag kommt der Bus.", "12:30", "Сегодня вечером мы идём в кино.", "駅はどこですか。", ""]
# Canary, words of the report that it must end in.
FAULTS = {"unaligned": "unaligned access", "division": "division by zero", "overrun": "stack overrun", "fetch": "undefined instruction"}
# Beside these, memcpy and its kin, the runtime calls only what the compiler makes of C++ operators on a core without the instruction.
MEMORY = {"memcpy", "memmove", "memset", "memcmp", "memchr"}
HELPERS = re.compile(r"^__(aeabi_(d|f|l|ul|i|ui|mem)\w*|\w+(di|si)\d)$")
HEAP = re.compile(r"^(malloc|free|calloc|realloc|_Zn[wa]|_Zd[la]|_sbrk)")


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


# Models whose ops the language model lacks, from tests/fixtures, and of the rest ONNX's node tests (libonnx-testdata).
MODELS = ["mlp_bn_dy18", "esm_ts13", "t5_encoder_ts13__external_many", "deberta_v2_conv_ts13", "qwen3_dy20_sdpa", "vit_ts14_eager",
          "clip_text_ts14_eager", "minilm_sentence_ts14", "convbert_ts13", "beit_dy18_sdpa", "roberta_base_ts14"]
NODE_TESTS = pathlib.Path("/usr/share/libonnx-testdata/data/node")
NODES = ["test_triu", "test_scatter_elements_with_axis", "test_scatternd_add", "test_argmax_keepdims_example",
         "test_reduce_log_sum_exp_keepdims_random"]


class Report:
    def __init__(self):
        self.good = True

    def expect(self, holds, what, detail=""):
        if not holds:
            self.good = False
            print(f"  FAILED: {what}\n{detail}".rstrip())


def check_transcript(report, runner, build):
    """The firmware twice: same answers everywhere, same instruction counts each time, stack within the limit."""
    image = build / "platform/cortex_m/example/langid/langid_firmware"
    first, second = (run(*runner, "--icount", image) for _ in range(2))
    report.expect(first.returncode == 0, "the firmware example", first.stderr)
    report.expect(first.stdout == second.stdout, "the transcript repeats", first.stdout + second.stdout)
    answers = re.findall(r"^\d+ ids, (.*?): ", first.stdout, re.M)
    report.expect(answers == ANSWERS, f"answers {answers}")
    stacks = [int(n) for n in re.findall(r"stack (\d+)", first.stdout)]
    report.expect(len(stacks) == 3 + len(ANSWERS) and max(stacks) <= STACK_LIMIT, f"painted stack {stacks}, limit {STACK_LIMIT}")
    return image, first.stdout, max(stacks, default=0)


def check_answers(report, root, runner, build):
    """Lines of text into the firmware that takes text: the labels and thousandths that the host's `edgeconv run` gives with the same blob."""
    folder = build / "platform/cortex_m/example/answer"
    lines = folder / "lines.txt"
    lines.write_text("".join(t + "\n" for t in LINES), encoding="utf-8")
    device = run(*runner, folder / "answer_firmware", lines)
    host = run(root / "build/release/convert/edgeconv", "run", folder / "model/langid.ert", "--text-file", lines, "--json", "--top", 1)
    best = [json.loads(line)["labels"][0] for line in host.stdout.splitlines()]
    wanted = [f"{b['label']}, {int(b['score'] * 1000 + 0.5)} of 1000: {t}" for b, t in zip(best, LINES)]
    report.expect(device.returncode == 0 and len(best) == len(LINES) and device.stdout.splitlines() == wanted, "text in, answer out",
                  device.stdout + device.stderr + host.stderr)
    print(f"  firmware with a tokenizer: {', '.join(b['label'] for b in best)}")


def check_bench(report, root, runner, build):
    """ert-bench as firmware: the JSON of ert-bench, the host's results, the same instruction counts each time."""
    blob = build / "platform/cortex_m/example/langid/model/langid.ert"
    options = ["--warmup", 0, "--runs", 1, "--shape", "sequence=12", "--shape", "sequence=24"]
    first, second = (run(*runner, "--icount", build / "bench/firmware/ert-bench", blob, *options, "--profile") for _ in range(2))
    report.expect(first.returncode == 0 and first.stdout == second.stdout, "ert-bench repeats", first.stdout + first.stderr)
    host = run(root / "build/release/bench/ert-bench", blob, *options, "--json")
    if first.returncode != 0 or host.returncode != 0:
        report.expect(False, "ert-bench on the host", host.stderr)
        return
    device = json.loads(first.stdout)
    report.expect(not errors(device, json.loads((root / "bench/ert_bench.schema.json").read_text())), "ert-bench's JSON", first.stdout)
    short, long = device["results"]
    crcs = [r["output_crc"] for r in json.loads(host.stdout)["results"]]
    report.expect([short["output_crc"], long["output_crc"]] == crcs, f"ert-bench computes the host's outputs {crcs}", first.stdout)
    report.expect(0 < short["p50_us"] < long["p50_us"] and short["macs"] < long["macs"], "more tokens take more instructions", first.stdout)
    report.expect(sum(op["us"] for op in long["ops"]) < 1.1 * long["p50_us"], "ops take the time of a run", first.stdout)
    for wrong in (["--shape", "sequence=0"], ["--shape", "nobody=1"], ["--isa", "nothing"], ["--runs", "x"]):
        report.expect(run(*runner, build / "bench/firmware/ert-bench", blob, *wrong).returncode == 2, f"ert-bench refuses {wrong}")
    print(f"  ert-bench: {round(1000 * long['p50_us'])} instructions for {long['dims']['sequence']} tokens, {long['isa']}, "
          f"{1000 * long['p50_us'] / long['macs']:.2f} per MAC")


def check_calls(report, build):
    """Undefined symbols of the runtime's archives: nothing of a C library but memory functions and compiler helpers."""
    archives = [build / "rt/libert.a", build / "kernels_int8/libert_kernels.a"]
    defined, wanted = set(), set()
    for archive in archives:
        for line in run(PREFIX + "nm", "-P", archive).stdout.splitlines():
            parts = line.split()
            if len(parts) >= 2 and parts[1] in "Uw":
                wanted.add(parts[0])
            elif len(parts) >= 2:
                defined.add(parts[0])
    foreign = sorted(s for s in wanted - defined - MEMORY if not HELPERS.match(s) and s != "ert_cpu_features")
    report.expect(not foreign, f"the runtime calls {foreign}")
    report.expect(wanted & MEMORY, "the list of calls is empty")
    report.expect(HEAP.match("malloc") and not HELPERS.match("malloc"), "malloc would pass")


def check_canaries(report, runner, build):
    image = build / "tests/cortex_m/canaries"
    report.expect(run(*runner, image, "none").returncode == 0, "a program without a fault ends well")
    for kind, words in FAULTS.items():
        result = run(*runner, image, kind)
        report.expect(result.returncode == FAULT and words in result.stderr, f"canary {kind}: exit {result.returncode}", result.stderr)
    deep = run(*runner, image, "deep")
    report.expect(deep.returncode == 0 and int(deep.stdout or 0) >= 3072, f"canary deep: the paint shows {deep.stdout}", deep.stderr)
    bound = run(sys.executable, CHECKS / "stack_bound.py", image, build, STACK_LIMIT, "--over", "ert_canary_deep")
    report.expect(bound.returncode == 0, "canary deep: stack_bound.py", bound.stdout + bound.stderr)
    endless = run(sys.executable, CHECKS / "stack_bound.py", image, build, STACK_LIMIT, "--over", "main")
    report.expect(endless.returncode != 0 and "recursion: main -> overrun" in endless.stderr, "canary overrun: stack_bound.py", endless.stderr)
    heap = run("cmake", "--build", build, "--target", "heap_canary")
    report.expect(heap.returncode != 0 and "undefined reference to `malloc'" in heap.stdout, "canary heap: it linked", heap.stdout)


def check_bound(report, image, build):
    """(bytes, function) that stack_bound.py gives for an image."""
    limit = STACK_LIMIT_ALL_OPS if any(image.name == pathlib.Path(b).name for b in BOUNDED) else STACK_LIMIT
    result = run(sys.executable, CHECKS / "stack_bound.py", image, build, limit)
    report.expect(result.returncode == 0, f"stack bound of {image.name}", result.stdout + result.stderr)
    deepest = re.search(r"(\d+) bytes of stack at most: (\w+)", result.stdout)
    return (int(deepest.group(1)), deepest.group(2)) if deepest else (0, "?")


def check_bounds(report, root, build, example):
    """The bounds of all images; each function of the API that runs code of the runtime must be in one of them. (bytes, function) of the
    deepest image with all ops."""
    declared = {name for name in re.findall(r"\b(ert_\w+)\(", (root / "rt/include/ert.h").read_text()) if stack_bound.ENTRY.match(name)}
    linked = set()
    for image in [example] + [build / name for name in BOUNDED]:
        linked |= set(re.findall(r"^(\w+) T ", run(PREFIX + "nm", "-P", image).stdout, re.M))
    missing = sorted(declared - linked)
    report.expect(declared and not missing, f"a stack bound of every function: no image has {missing}")
    return max(check_bound(report, build / name, build) for name in BOUNDED)


def convert_models(report, root, folder):
    """Blobs of MODELS, NODES and node_models.py, and the ops that they have."""
    blobs, ops = [], set()
    (folder / "nodes").mkdir()
    (folder / "nodes/model.onnx").write_bytes(node_models.model())
    models = [root / "tests/fixtures" / name for name in MODELS] + [NODE_TESTS / name for name in NODES] + [folder / "nodes"]
    for model, *options in [[m] for m in models] + [[folder / "nodes", "--precision", "fp32", "--input-scale", "image=127.5,127.5"]]:
        blobs.append(folder / f"{model.name}{len(options)}.ert")
        made = run(root / "build/release/convert/edgeconv", model / "model.onnx", "-o", blobs[-1], "-q", "--allow-accuracy-loss", *options)
        report.expect(made.returncode == 0, f"conversion of {model.name}", made.stderr)
        inspected = run(root / "build/release/convert/edgeconv", "inspect", blobs[-1], "--json")
        ops |= set(json.loads(inspected.stdout)["operators"]) if inspected.returncode == 0 else set()
    for blob in sorted((root / "tests/rt/golden").glob("*.ert")):
        blobs.append(blob)
        inspected = run(root / "build/release/convert/edgeconv", "inspect", blob, "--json")
        ops |= set(json.loads(inspected.stdout)["operators"]) if inspected.returncode == 0 else set()
    return blobs, ops


def check_golden(report, root, runner, build, bound, function):
    """Golden vectors, bit for bit: extreme floats through every elementwise op, and other models. Their stack, below the bound of the images
    with all ops."""
    image = build / "tests/cortex_m/golden"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        extremes, wrong = folder / "extremes.ert", folder / "wrong.ert"
        for command in ([extremes], [wrong, "wrong"]):
            made = run(root / "build/release/tests/rt/write_extremes", *command)
            report.expect(made.returncode == 0, "write_extremes", made.stdout + made.stderr)
        blobs, ops = convert_models(report, root, folder)
        blobs = [extremes, *blobs]
        results = [run(*runner, image, *blobs[i:i + MOST_BLOBS]) for i in range(0, len(blobs), MOST_BLOBS)]
        same = all(r.returncode == 0 for r in results)
        report.expect(same, "golden vectors", "".join(r.stdout + r.stderr for r in results))
        print(f"  golden vectors of {len(blobs)} blobs: {'the same bits' if same else 'FAILED'}")
        changed = run(*runner, image, wrong)
        report.expect(changed.returncode == 1 and "golden" in changed.stdout.split(": ", 1)[-1], "canary golden: one wrong bit passed", changed.stdout)
    ops |= {"Unary", "Binary", "Reduce"}  # write_extremes
    listed = set(re.findall(r"^ERT_OP\(\d+, (\w+)\)", (root / "rt/ops/op_list.inc").read_text(), re.M))
    # Of the map ops, two are written by no conversion yet.
    report.expect(listed - ops <= {"Custom", "MapMaxPool", "MapToFloat", "MapMean"}, f"ops of no blob: {sorted(listed - ops)}")
    painted = [int(n) for r in results for n in re.findall(r"stack (\d+)", r.stdout)]
    report.expect(painted and max(painted) <= min(bound, STACK_LIMIT_ALL_OPS), f"painted stack {painted}, bound {bound}, limit {STACK_LIMIT_ALL_OPS}")
    print(f"  stack with all ops: {max(painted, default=0)} bytes painted over by {len(ops)} of {len(listed)} (Custom calls the application), "
          f"at most {bound} by the call graph ({function})")


def check_conv_size(report, build, board):
    code = firmware_size.parts(build / "tests/cortex_m/conv_firmware.map")["runtime"]["text"]
    limit = CONV_TEXT_LIMIT_OF.get(board)
    report.expect(code > 0 and (limit is None or code <= limit), f"the runtime has {code} bytes of code with a DS-CNN's ops, allowed are {limit}")
    print(f"  the same with only a DS-CNN's ops: {code / 1000:.1f} KB, " + (f"allowed are {limit / 1000:.0f}" if limit else "no limit on this board"))


def main(root, build, board, golden, show):
    report = Report()
    runner = [root / "toolchains/run_cortex_m.sh", board]
    image, transcript, painted = check_transcript(report, runner, build)
    if show:
        print(transcript)
    check_bench(report, root, runner, build)
    check_answers(report, root, runner, build)
    check_calls(report, build)
    bound, function = check_bound(report, image, build)
    all_ops = check_bounds(report, root, build, image)
    check_canaries(report, runner, build)
    if golden:
        check_golden(report, root, runner, build, *all_ops)
    else:
        print(f"  stack with all ops: at most {all_ops[0]} bytes by the call graph ({all_ops[1]})")
    size = firmware_size.parts(image.with_suffix(".map"))
    runtime = size["runtime"]
    report.expect(runtime["data"] == 0 and runtime["bss"] == 0, f"the runtime has {runtime['data']} + {runtime['bss']} bytes of variables")
    limit = TEXT_LIMIT_OF.get(board, TEXT_LIMIT)
    report.expect(runtime["text"] <= limit, f"the runtime has {runtime['text']} bytes of code, allowed are {limit}")
    verification = firmware_size.parts(image.with_suffix(".map"), [("verification", VERIFICATION), ("rest", "")])["verification"]["text"]
    report.expect(0 < verification <= VERIFICATION_LIMIT, f"verification has {verification} bytes of code, allowed are {VERIFICATION_LIMIT}")
    print(firmware_size.table(size))
    print(f"  code of verification with header checks: {verification} bytes, allowed are {VERIFICATION_LIMIT}")
    print(f"  code of the runtime and its kernels, only the model's ops: {runtime['text'] / 1000:.1f} KB, allowed are {limit / 1000:.0f} (KB = 1000)")
    check_conv_size(report, build, board)
    report.expect(bound >= painted, "the bound is below what the paint shows: the call graph misses calls")
    print(f"  stack: {painted} bytes painted over, at most {bound} by the call graph ({function})")
    return 0 if report.good else 1


if __name__ == "__main__":
    folders = [pathlib.Path(a).resolve() for a in sys.argv[1:3]]
    sys.exit(main(*folders, sys.argv[3], "--golden" in sys.argv[4:], "--transcript" in sys.argv[4:]))
