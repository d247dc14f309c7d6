"""Measures edgeconv and its peers on all-MiniLM-L6-v2 and prints the figures side by side.

Usually called through run.sh, which installs the peers first. Figures also go to WORKDIR/compare.json and
WORKDIR/compare.svg.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SECTIONS = ("speed", "accuracy", "bits")
SCHEMA_VERSION = 1
GOAL_MISSED = 7


def names(text):
    return [part for part in text.split(",") if part]


def numbers(text):
    return [int(part) for part in names(text)]


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", metavar="WORKDIR", nargs="?", default="build/compare")
    parser.add_argument("--check", action="store_true",
                        help=f"exit {GOAL_MISSED} when a goal is missed or not measured")
    parser.add_argument("--sections", type=names, default=list(SECTIONS), help="some of speed,accuracy,bits")
    parser.add_argument("--peers", type=names, default=None, help="some of the peers, by the names in compare.json")
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes per peer and thread count (5)")
    parser.add_argument("--threads", type=numbers, default=[1, 2], help="1,2")
    parser.add_argument("--shapes", type=names, default=None, help="1x8,1x128,...: batch x tokens, of the grid")
    parser.add_argument("--isa", type=names, default=[], help="more rows of edgeconv, held to these ISA levels")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)),
                        help="core of the 1-thread runs (the last)")
    parser.add_argument("--tries", type=int, default=3, help="repeats a run disturbed by other processes (3)")
    parser.add_argument("--foreign", type=float, default=0.05, help="cores of other work that disturb a run (0.05)")
    parser.add_argument("--ref-texts", default="30", help="texts for the slow scalar reference, a count or all (30)")
    parser.add_argument("--blob", help="measure this .ert instead of converting minilm.onnx")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}")
    if options.cpu not in os.sched_getaffinity(0):
        parser.error(f"this process may not use core {options.cpu}")
    if options.rounds < 1 or options.tries < 1:
        parser.error("--rounds and --tries start at 1")
    options.ref_texts = sys.maxsize if options.ref_texts == "all" else int(options.ref_texts)
    return parser, options


def check_choices(parser, options, peers):
    """The names that need peers.py, which --help must not import."""
    grid = [peers.shape_name(*shape) for shape in peers.GRID]
    options.shapes = options.shapes or grid
    options.peers = options.peers if options.peers is not None else list(peers.PEERS)
    for given, known in ((options.shapes, grid), (options.peers, list(peers.PEERS))):
        wrong = [name for name in given if name not in known]
        if wrong:
            parser.error(f"unknown {', '.join(wrong)}; known: {', '.join(known)}")


def peer_versions(work, names, peers):
    versions = {}
    for name in names:
        python = peers.environments(work)[peers.PEERS[name].environment]
        done = subprocess.run([python, os.path.join(HERE, "peer_worker.py"), "version", work, name],
                              capture_output=True, text=True, check=False)
        versions[peers.PEERS[name].package] = done.stdout.strip() or "unknown"
    return versions


def make_blob(options, data, fp32):
    """The blob to measure, or None with the reason put into data."""
    import ours
    absent = ours.missing_programs()
    if absent:
        data["edgeconv"] = {"missing": ours.NOT_BUILT}
        print(f"{ours.NOT_BUILT} ({', '.join(os.path.basename(path) for path in absent)} absent)\n", flush=True)
        return None
    blob = os.path.abspath(options.blob) if options.blob else os.path.join(options.work, "minilm.ert")
    data["edgeconv"] = {"program": ours.version()}
    if not options.blob:
        try:
            data["edgeconv"]["convert_seconds"] = round(ours.convert(fp32, blob), 2)
        except ours.Failed as error:
            data["edgeconv"] = {"missing": f"conversion failed: {error}"}
            print(f"edgeconv: conversion failed: {error}\n", flush=True)
            return None
    sizes = os.path.getsize(blob), os.path.getsize(fp32)
    data["size"] = {"blob_bytes": sizes[0], "fp32_bytes": sizes[1], "ratio": sizes[0] / sizes[1]}
    return blob


def collect(options, data, present, blob):
    import accuracy
    import samebits
    import speed
    if "speed" in options.sections:
        entries = [speed.our_entry(blob, options.shapes, isa) for isa in [None, *options.isa]] if blob else []
        entries += [speed.peer_entry(options.work, name, options.shapes) for name in present]
        if entries:
            data["speed"] = speed.measure(entries, options.shapes, options)
            data["speed"]["ratios"] = {threads: speed.ratios(results)
                                       for threads, results in data["speed"]["results"].items()}
    if "accuracy" in options.sections:
        data["accuracy"] = accuracy.measure(options.work, present, blob)
    if "bits" in options.sections and blob:
        data["same_bits"] = samebits.measure(options.work, blob, options.ref_texts)


def print_report(data, options):
    import report
    machine = data["machine"]
    print(f'{machine["cpu"]} (family {machine["family"]} model {machine["model"]}), {machine["cores"]} cores, '
          f'{" ".join(machine["levels"])}; {"virtual machine; " if machine["hypervisor"] else ""}'
          f'governor {machine["governor"]}; Linux {machine["kernel"]}; {machine["date"]}')
    print("versions: " + ", ".join(f"{name} {version}" for name, version in data["versions"].items()))
    if "convert_seconds" in data["edgeconv"]:
        print(f'{data["edgeconv"]["program"]}: minilm.onnx converted in {data["edgeconv"]["convert_seconds"]} s')
    blocks = []
    if "speed" in data:
        blocks += report.speed_tables(data["speed"], options.shapes, data["missing"])
    if "accuracy" in data:
        blocks += report.accuracy_table(data["accuracy"], data["missing"])
    if "same_bits" in data:
        blocks += report.same_bits_table(data["same_bits"])
    if "size" in data:
        size = data["size"]
        blocks.append(f'Blob {size["blob_bytes"]:,} bytes, fp32 ONNX {size["fp32_bytes"]:,} bytes: {size["ratio"]:.4f}')
    blocks.append(report.goal_lines(data["goals"]))
    print("\n" + "\n\n".join(blocks))


def main():
    parser, options = arguments()
    # After the arguments, because --help must also work where numpy is not installed.
    import machine
    import ours
    import peers
    import plot
    import report
    check_choices(parser, options, peers)
    options.work = os.path.abspath(options.work)
    data = {"schema_version": SCHEMA_VERSION, "machine": machine.describe(), "missing": {}}
    for name in options.peers:
        reason = peers.why_missing(options.work, name)
        if reason:
            data["missing"][name] = f"left out: {reason}"
    present = [name for name in options.peers if name not in data["missing"]]
    data["versions"] = {"checkout": machine.revision(ours.ROOT), **peer_versions(options.work, present, peers)}
    fp32 = os.path.join(peers.environments(options.work)["minilm"], "minilm.onnx")
    blob = make_blob(options, data, fp32)
    if blob is None:
        # Its row stays in every table, with the reason.
        data["missing"] = {"edgeconv": data["edgeconv"]["missing"], **data["missing"]}
    collect(options, data, present, blob)
    data["goals"] = report.goals(data, options.sections)
    print_report(data, options)
    with open(os.path.join(options.work, "compare.json"), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
    if "speed" in data:
        plot.write(os.path.join(options.work, "compare.svg"), data, options.shapes)
    return GOAL_MISSED if options.check and not all(goal["met"] for goal in data["goals"]) else 0


if __name__ == "__main__":
    sys.exit(main())
