"""in_turns.py WORKDIR BLOB OPTIONS: on the board, edgeconv and the peers whose packages are installed, in turns, by bench/compare.

OPTIONS is JSON: {"shapes", "threads", "rounds", "cpu", "peers": [name, ..]}. WORKDIR has the peers' forms of MiniLM (variants/); without an environments.json the
interpreter that runs this is taken for that of all peers. ERT_BENCH names the program. The last line of the output is JSON: {"us": {shape: microseconds},
"closest": {shape: [peer, ratio]}, "versions": {package: version}, "missing": {peer: reason}, "notes": [..]}."""
import importlib
import json
import os
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compare"))
MODEL = "minilm"


def summary(measured, shapes, threads, peers, speed, report):
    """Figures of one thread count out of those of speed.measure."""
    closest = {shape: speed.fastest_int8(measured["ratios"].get(threads, {}), shape) for shape in shapes}
    notes = [report.foreign_line(measured["foreign"])] if measured["foreign"]["disturbed"] else []
    ours = measured["results"][threads].get(speed.BASE)
    return {"us": {shape: ours[shape]["median_us"] for shape in shapes} if ours else {},
            "closest": {shape: [peers.PEERS[found[0]].title, found[1]] for shape, found in closest.items() if found},
            "missing": {(peers.PEERS[name].title if name in peers.PEERS else name): reason for name, reason in measured["failed"].get(threads, {}).items()}, "notes": notes}


def main(work, blob, options):
    compare, speed, report, peers, models = (importlib.import_module(name) for name in ("compare", "speed", "report", "peers", "models"))
    environments = pathlib.Path(work, "environments.json")
    if not environments.exists():
        environments.write_text(json.dumps({"main": sys.executable, "litert": sys.executable, "minilm": ""}))
    model, missing, present = models.MODELS[MODEL], {}, []
    for name in options["peers"]:
        reason = peers.why_missing(work, model, name)
        missing.update({peers.PEERS[name].title: reason} if reason else {})
        present += [] if reason else [name]
    entries = [speed.our_entry(blob)] + [speed.peer_entry(work, model, name) for name in present]
    settings = types.SimpleNamespace(threads=[options["threads"]], rounds=options["rounds"], cpu=options["cpu"], tries=1, foreign=0.05)
    found = summary(speed.measure(entries, options["shapes"], settings), options["shapes"], options["threads"], peers, speed, report)
    found["missing"] = {**missing, **found["missing"]}
    found["versions"] = compare.peer_versions(work, present, peers)
    print(json.dumps(found))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    # Paths of the board, which the workers start with in the same folder.
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), json.loads(sys.argv[3]))
