#!/usr/bin/env python3
"""./test.sh --package: every way into another project, each in a clean folder. consumers.py SOURCE BUILD [--only NAME...] [--list]

BUILD holds edgeconv of the preset release. A consumer that this machine cannot run is listed with the reason at the end.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ways  # noqa: E402
import wheels  # noqa: E402
from machine import Machine, NotHere  # noqa: E402

CONSUMERS = {**ways.CONSUMERS, **wheels.CONSUMERS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--list", action="store_true", help="names of the consumers")
    args = parser.parse_args()
    unknown = [name for name in args.only if name not in CONSUMERS]
    if unknown:
        sys.exit(f"--package: there is no way '{unknown[0]}'; there are {', '.join(CONSUMERS)}")
    if args.list:
        print("\n".join(CONSUMERS))
        return 0
    root = pathlib.Path(tempfile.mkdtemp(prefix="ert-package-"))
    failed, absent, passed = [], [], 0
    try:
        machine = Machine(args.source.resolve(), args.build.resolve(), root)
        for name, consumer in CONSUMERS.items():
            if args.only and name not in args.only:
                continue
            folder = root / name
            folder.mkdir()
            begin = time.monotonic()
            try:
                said = consumer(machine, folder)
                passed += 1
                print(f"ok      {name:22} {time.monotonic() - begin:6.1f} s  {said or ''}", flush=True)
            except NotHere as reason:
                absent.append((name, reason))
                print(f"not run {name:22} {reason}", flush=True)
            except (subprocess.CalledProcessError, AssertionError, OSError) as error:
                output = (getattr(error, "stdout", None) or "") + (getattr(error, "stderr", None) or "")
                failed.append(name)
                print(f"FAILED  {name:22} {error}\n{output[-4000:]}", flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"{passed} ways work, {len(failed)} failed, {len(absent)} not run here" + "".join(f"\n  not run: {n}: {r}" for n, r in absent))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
