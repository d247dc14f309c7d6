#!/usr/bin/env python3
"""Runs the fuzz targets of a build in turn for some hours, and adds to totals over all sessions: ./test.sh --fuzz HOURS.

    tests/fuzz/run.py BUILD HOURS [--only TARGET[,TARGET..]] [--state FOLDER] [--rounds N]

FOLDER (default BUILD/fuzz; ERT_FUZZ_STATE names another) keeps totals.json, the corpora and what was found. Exit 1 on any finding; its
reproducer and the command that replays it are printed. Targets that take ONNX files start from ONNX's own node tests too (package libonnx-testdata).
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

# Longest input, and share of the time: what is behind open deserves most. Parsing has no rule that needs a long file.
TARGETS = {
    "open": (24576, 3), "open_run": (24576, 5), "text": (65536, 2), "unpack": (24576, 1), "onnx_parse": (4096, 1), "onnx_import": (65536, 2), "convert": (65536, 3), "export_compile": (8192, 1),
}
# Of models every string is an allocation: the stacks that AddressSanitizer keeps of them, and what it has freed, take more time than parsing. A
# finding is replayed without this.
ASAN_OF_MODELS = "malloc_context_size=0:quarantine_size_mb=8"
LEAST_SECONDS = 5
LONGEST_SECONDS = 900  # of a case by the clock: the targets judge CPU time themselves, and a machine stops what it wants to measure beside
INTERRUPTED = 72  # libFuzzer's exit after SIGINT or SIGTERM, which is no finding
NODE_TESTS = "/usr/share/libonnx-testdata/data/node"
TAKE_MODELS = ("onnx_parse", "onnx_import", "convert")


def load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def add(path, target, executions, seconds, findings):
    totals = load(path)
    t = totals.setdefault(target, {"executions": 0, "seconds": 0, "findings": 0, "sessions": 0})
    t["executions"] += executions
    t["seconds"] += round(seconds)
    t["findings"] += findings
    t["sessions"] += 1
    with open(path + ".new", "w") as f:
        json.dump(totals, f, indent=2, sort_keys=True)
    os.replace(path + ".new", path)


def executions_of(log):
    """Of the final statistics, or of the last line of progress where a finding cut them off."""
    final = re.findall(rb"stat::number_of_executed_units: (\d+)", log)
    return int(final[-1]) if final else max((int(n) for n in re.findall(rb"^#(\d+)\t", log, re.M)), default=0)


def add_node_tests(seeds):
    """One model of each operator and form: what the repository has no small file of."""
    for model in glob.glob(NODE_TESTS + "/*/model.onnx"):
        copy = os.path.join(seeds, "node_" + os.path.basename(os.path.dirname(model)))
        if not os.path.exists(copy) and os.path.getsize(model) <= 16384:
            shutil.copyfile(model, copy)


def drop_long(seeds, most):
    """The fuzzer would cut them, and a model that is cut is only damage."""
    for seed in glob.glob(seeds + "/*"):
        if os.path.getsize(seed) > most:
            os.remove(seed)


def fuzz(program, target, seconds, state):
    corpus, seeds, found = (os.path.join(state, folder, target) for folder in ("corpus", "seeds", "findings"))
    for folder in (corpus, seeds, found):
        os.makedirs(folder, exist_ok=True)
    subprocess.run([program], env=dict(os.environ, ERT_FUZZ_WRITE_SEEDS=seeds), check=True)
    if target in TAKE_MODELS:
        add_node_tests(seeds)
    drop_long(seeds, TARGETS[target][0])
    environment = dict(os.environ)
    if target in TAKE_MODELS:
        environment["ASAN_OPTIONS"] = ":".join(filter(None, (ASAN_OF_MODELS, os.environ.get("ASAN_OPTIONS"))))
    before = set(glob.glob(found + "/*"))
    start = time.monotonic()
    log_path = os.path.join(state, target + ".log")
    with open(log_path, "wb") as log:
        code = subprocess.run(
            ["nice", "-n", "10", program, f"-max_total_time={round(seconds)}", f"-max_len={TARGETS[target][0]}", f"-timeout={LONGEST_SECONDS}", "-entropic=0", "-rss_limit_mb=4096",
             "-print_final_stats=1", f"-artifact_prefix={found}/", corpus, seeds], env=environment, stdout=log, stderr=subprocess.STDOUT).returncode
    with open(log_path, "rb") as f:
        log = f.read()
    fresh = sorted(p for p in set(glob.glob(found + "/*")) - before if "slow-unit" not in os.path.basename(p))
    failed = code not in (0, INTERRUPTED) or bool(fresh)
    add(os.path.join(state, "totals.json"), target, executions_of(log), time.monotonic() - start, len(fresh) or int(failed))
    if not failed:
        return []
    said = re.findall(rb"^(?:FINDING: .*|SUMMARY: .*|.*runtime error: .*)$", log, re.M)
    print(f"{target}: FINDING (exit {code}; {log_path})")
    for line in said[:4]:
        print("   ", line.decode(errors="replace"))
    for path in fresh:
        print(f"    replay: {program} {path}\n    keep:   cp {path} tests/fuzz/found/{target}/NAME")
    return fresh or [log_path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("hours", type=float)
    parser.add_argument("--only", default=",".join(TARGETS))
    parser.add_argument("--state", default=os.environ.get("ERT_FUZZ_STATE"))
    parser.add_argument("--rounds", type=int, default=1, help="turns that each target gets")
    o = parser.parse_args()
    build = os.path.abspath(o.build)
    state = os.path.abspath(o.state or os.path.join(build, "fuzz"))
    os.makedirs(state, exist_ok=True)
    chosen = o.only.split(",")
    shares = sum(TARGETS[t][1] for t in chosen)
    findings = []
    for _ in range(o.rounds):
        for target in chosen:
            seconds = max(LEAST_SECONDS, o.hours * 3600 * TARGETS[target][1] / shares / o.rounds)
            findings += fuzz(os.path.join(build, "tests", "fuzz", "fuzz_" + target), target, seconds, state)
    print(f"{'target':16} {'executions':>14} {'hours':>10} {'findings':>9}   over all sessions ({state}/totals.json)")
    for target, t in sorted(load(os.path.join(state, "totals.json")).items()):
        print(f"{target:16} {t['executions']:>14,} {t['seconds'] / 3600:>10.2f} {t['findings']:>9}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
