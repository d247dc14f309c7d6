"""Measures edgeconv and its peers on one model after the other and prints the figures side by side.

Usually called through run.sh, which installs the peers first. Figures also go to WORKDIR/compare.json and
WORKDIR/compare.svg.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import types

from goals import LEVELS

HERE = os.path.dirname(os.path.abspath(__file__))
SECTIONS = ("speed", "levels", "accuracy", "bits", "start")
SCHEMA_VERSION = 3
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
    parser.add_argument("--sections", type=names, default=None, help="some of " + ",".join(SECTIONS))
    parser.add_argument("--models", type=names, default=None, help="some of minilm,textclassifier,bert_base,bilstm,gru (all)")
    parser.add_argument("--peers", type=names, default=None, help="some of the peers, by the names in compare.json")
    parser.add_argument("--rounds", type=int, default=20, help="turns at each shape (20)")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=numbers, default=[1, 2][:cores], help="1,2")
    parser.add_argument("--shapes", type=names, default=None, help="1x8,1x128,...: batch x tokens, of the grids")
    parser.add_argument("--isa", type=names, default=[], help="more rows of edgeconv, held to these ISA levels")
    parser.add_argument("--levels", type=names, nargs="?", const=list(LEVELS), default=[],
                        help=f"edgeconv beside peers as they run on smaller x86 CPUs: {','.join(LEVELS)} (all); alone unless --sections has more")
    parser.add_argument("--held", action=argparse.BooleanOptionalAction, default=None,
                        help="also measure peers without AMX, where that can be set (on CPUs with AMX)")
    parser.add_argument("--cpu", type=int, default=None,
                        help="core of the 1-thread runs (whichever is free)")
    parser.add_argument("--tries", type=int, default=3, help="repeats a turn disturbed by other processes (3)")
    parser.add_argument("--foreign", type=float, default=0.05, help="cores of other work that disturb a turn (0.05)")
    parser.add_argument("--ref-texts", default="30", help="texts for the slow scalar reference, a count or all (30)")
    parser.add_argument("--blob", help="measure this .ert instead of converting the model; with one --models only")
    parser.add_argument("--dry-run", action="store_true", help="look at the options and stop; needs nothing that is installed")
    options = parser.parse_args()
    if options.sections is None:
        options.sections = ["levels"] if options.levels else [name for name in SECTIONS if name != "levels"]
    if ("levels" in options.sections) != bool(options.levels):
        parser.error("the section levels and the option --levels belong together")
    unknown = set(options.levels) - set(LEVELS)
    if unknown:
        parser.error(f"unknown level {', '.join(sorted(unknown))}; known: {', '.join(LEVELS)}")
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}")
    if options.cpu is not None and options.cpu not in os.sched_getaffinity(0):
        parser.error(f"this process may not use core {options.cpu}")
    if options.rounds < 1 or options.tries < 1:
        parser.error("--rounds and --tries start at 1")
    if options.blob and len(options.models or []) != 1:
        parser.error("--blob needs --models with one model")
    if not options.threads or not all(1 <= threads <= cores for threads in options.threads):
        parser.error(f"--threads are counts from 1 to {cores}, the cores that this process may use")
    if options.ref_texts != "all" and not options.ref_texts.isdecimal():
        parser.error("--ref-texts is a count or all")
    options.ref_texts = sys.maxsize if options.ref_texts == "all" else int(options.ref_texts)
    return parser, options


def check_choices(parser, options, models, peers):
    """The names that need models.py and peers.py, which --help must not import."""
    options.models = options.models or list(models.MODELS)
    options.peers = options.peers if options.peers is not None else list(peers.PEERS)
    grids = dict.fromkeys(shape for model in models.MODELS.values() for shape in model.shapes())
    for given, known in ((options.models, models.MODELS), (options.peers, peers.PEERS), (options.shapes or [], grids)):
        wrong = [name for name in given if name not in known]
        if wrong:
            parser.error(f"unknown {', '.join(wrong)}; known: {', '.join(known)}")


def peer_versions(work, names, peers):
    versions = {}
    for name in names:
        done = subprocess.run([peers.python_of(work, name), os.path.join(HERE, "peer_worker.py"), "version", work, name],
                              capture_output=True, text=True, check=False)
        versions[peers.PEERS[name].package] = done.stdout.strip() or "unknown"
    return versions


def make_blob(options, model, found):
    """The blob to measure, or None with the reason put into `found`."""
    import ours
    if ours.missing_programs():
        found["edgeconv"] = {"missing": ours.NOT_BUILT}
        return None
    fp32 = model.onnx(options.work)
    blob = os.path.abspath(options.blob) if options.blob else os.path.join(options.work, f"{model.name}.ert")
    found["edgeconv"] = {}
    if not options.blob:
        try:
            found["edgeconv"]["convert_seconds"] = round(ours.convert(fp32, blob), 2)
        except ours.Failed as error:
            found["edgeconv"] = {"missing": f"conversion failed: {error}"}
            return None
    sizes = os.path.getsize(blob), os.path.getsize(fp32)
    found["size"] = {"blob_bytes": sizes[0], "fp32_bytes": sizes[1], "ratio": sizes[0] / sizes[1]}
    return blob


def collect(options, model, found, present, blob):
    import accuracy
    import further
    import levels
    import peers
    import samebits
    import speed
    import start
    if "speed" in options.sections:
        shapes = found["shapes"]
        entries = [speed.our_entry(blob, isa) for isa in [None, *options.isa]] if blob else []
        entries += [speed.peer_entry(options.work, model, name) for name in present]
        if options.held:
            entries += [speed.held_entry(options.work, model, name) for name in present if peers.PEERS[name].held]
        if entries and shapes:
            found["speed"] = speed.measure(entries, shapes, options)
    if "levels" in options.sections and blob:
        found["levels"] = levels.measure(options, model, present, blob, found["shapes"])
    if "accuracy" in options.sections and model.name == "minilm":
        found["accuracy"] = accuracy.measure(options.work, present, {"edgeconv": blob} if blob else {})
    elif "accuracy" in options.sections:
        found["accuracy"] = further.measure(options.work, model, present, blob)
    if "bits" in options.sections and blob:
        found["same_bits"] = samebits.measure(options.work, model, blob, options.ref_texts)
    if "start" in options.sections:
        found["start"] = start.measure(options.work, model, present, blob)


def measure_model(options, model, peers):
    """All sections of one model."""
    found = {"title": model.title, "missing": {},
             "shapes": [shape for shape in model.shapes() if shape in (options.shapes or model.shapes())]}
    for name in options.peers:
        reason = peers.why_missing(options.work, model, name)
        if reason:
            found["missing"][name] = f"left out: {reason}"
    blob = make_blob(options, model, found)
    if blob is None:
        # Its row stays in every table, with the reason.
        found["missing"] = {"edgeconv": found["edgeconv"]["missing"], **found["missing"]}
    collect(options, model, found, [name for name in options.peers if name not in found["missing"]], blob)
    return found


def print_head(data):
    machine = data["machine"]
    print(f'{machine["cpu"]} (family {machine["family"]} model {machine["model"]}), {machine["cores"]} cores, '
          f'{" ".join(machine["levels"])}; {"virtual machine; " if machine["hypervisor"] else ""}'
          f'governor {machine["governor"]}; Linux {machine["kernel"]}; {machine["date"]}')
    print("versions: " + ", ".join(f"{name} {version}" for name, version in data["versions"].items()), flush=True)


def print_model(found, goals, report):
    blocks = [f'## {found["title"]}']
    if "speed" in found:
        blocks += report.speed_tables(found["speed"], found["shapes"], found["missing"])
    if "levels" in found:
        blocks += report.level_table(found["levels"], found["shapes"])
    if "accuracy" in found:
        blocks += report.accuracy_table(found["accuracy"], found["missing"])
    if "same_bits" in found:
        blocks += report.same_bits_table(found["same_bits"])
    if "start" in found:
        blocks += report.start_table(found["start"], found["missing"])
    if "size" in found:
        size = found["size"]
        line = f'Blob {size["blob_bytes"]:,} bytes, fp32 ONNX {size["fp32_bytes"]:,} bytes: {size["ratio"]:.4f}'
        if "convert_seconds" in found["edgeconv"]:
            line += f'; converted in {found["edgeconv"]["convert_seconds"]} s'
        blocks.append(line)
    blocks.append(report.goal_lines(goals))
    print("\n" + "\n\n".join(blocks), flush=True)


def main():
    parser, options = arguments()
    if options.dry_run:
        # The names of models, shapes and peers need no arrays.
        sys.modules["numpy"] = types.ModuleType("numpy")
        import models
        import peers
        check_choices(parser, options, models, peers)
        return 0
    # Peers are stopped between their series; an end by signal must run the code that ends them.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # After the arguments, because --help must also work where numpy is not installed.
    import machine
    import models
    import ours
    import peers
    import plot
    import report
    check_choices(parser, options, models, peers)
    options.work = os.path.abspath(options.work)
    data = {"schema_version": SCHEMA_VERSION, "machine": machine.describe()}
    if options.held is None:
        options.held = "amx_int8" in data["machine"]["levels"]
    installed = [name for name in options.peers
                 if not os.path.exists(os.path.join(options.work, "missing", peers.PEERS[name].family))]
    data["versions"] = {"checkout": machine.revision(ours.ROOT), "edgeconv": ours.version(),
                        **peer_versions(options.work, installed, peers)}
    print_head(data)
    data["models"], data["goals"] = {}, []
    for name in options.models:
        found = data["models"][name] = measure_model(options, models.MODELS[name], peers)
        goals = report.goals(models.MODELS[name], found, options.sections, data["machine"])
        data["goals"] += [{"model": name, **goal} for goal in goals]
        print_model(found, goals, report)
        # After every model, so that an interrupted run keeps what it has.
        with open(os.path.join(options.work, "compare.json"), "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1)
    plot.write(os.path.join(options.work, "compare.svg"), data)
    return GOAL_MISSED if options.check and any(goal["met"] is False for goal in data["goals"]) else 0


if __name__ == "__main__":
    sys.exit(main())
