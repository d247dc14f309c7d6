#!/usr/bin/env python3
"""Classifiers out of Python packages: how often the default blob chooses the class that ONNX Runtime chooses in fp32.

    choices.py WORKDIR [--only NAME ...] [--write] [--check]

WORKDIR   that of package_models.py, which fetches the packages
--only    models whose name has this text in it; repeatable
--write   puts the table into README.md beside this file
--check   exit 7 when a model loses more than 0.3 points

Needs a release build (edgeconv and ert-bench; EDGECONV and ERT_BENCH name others), pip, and espeak-ng, as package_models.py does.
EXIT: 0 done; 2 wrong options, or something is missing; 7 with --check, a model misses the goal.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(HERE, "packaged"), os.path.join(ROOT, "bench", "compare")]


def options(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.strip(), add_help=True)
    parser.add_argument("workdir")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.write and given.only:
        parser.error("--write needs all models, so no --only")
    given.workdir = os.path.abspath(given.workdir)
    # What Survey asks of its options.
    given.again, given.speed_again, given.timeout, given.no_speed, given.no_chain = False, False, 900, True, True
    return given


def measured(run, found, model):
    """(what was asked, Counted) of one file."""
    import class_choices as counting
    import convert
    import survey
    from running import Blob, Reference
    path = run.path("choices", survey.slug(model.name) + ".ert")
    done = convert.convert(run.edgeconv, found.path, path, list(model.options), run.given.timeout)
    if done["code"] != 0:
        sys.exit(f"{model.name}: exit {done['code']}: {done['reason']}")
    reference, blob = Reference(found.path), Blob(run.edgeconv, path)
    try:
        ask = counting.asked(run.sources, model.name, reference)
        output = reference.outputs[0]
        return ask.what, counting.counted([reference(feed)[output] for feed in ask.feeds], [blob(feed)[output] for feed in ask.feeds], ask)
    finally:
        blob.close()


def main():
    given = options(sys.argv[1:])
    if not given.inside:
        from package_models import into_environment
        into_environment(given, sys.argv[1:], __file__)
    import catalog
    import class_choices as counting
    import survey
    import table
    run = survey.Survey(given, ROOT)
    if run.missing():
        print("missing: " + ", ".join(run.missing()), file=sys.stderr)
        return 2
    run.fetch()
    models = {model.name: (found, model) for found in run.found if (model := catalog.find(found))}
    wanted = [name for name in counting.TASKS if not given.only or any(part in name for part in given.only)]
    if not wanted:
        print("no model has this in its name", file=sys.stderr)
        return 2
    facts = run.facts()
    lines = [f"{facts['date']}, commit {facts['commit']}, {facts['cpu']}, ONNX Runtime {facts['onnxruntime']}.", "", *counting.HEAD]
    print("\n".join(lines), flush=True)
    all_kept = True
    for name in wanted:
        what, result = measured(run, *models[name])
        all_kept = all_kept and counting.kept(result)
        lines.append(counting.row(name, what, result))
        print(lines[-1], flush=True)
    if given.write:
        readme = os.path.join(HERE, "README.md")
        with open(readme, encoding="utf-8") as file:
            text = file.read()
        with open(readme, "w", encoding="utf-8") as file:
            file.write(table.replaced(text, counting.BEGIN, counting.END, lines))
    return 7 if given.check and not all_kept else 0


if __name__ == "__main__":
    sys.exit(main())
