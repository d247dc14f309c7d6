#!/usr/bin/env python3
"""rt/example/bare_metal: make, the one file and a cross compiler give firmware that links, and says on the emulated board what it must. bare_metal_test.py SOURCE BUILD

BUILD holds edgeconv. Where the cross compiler or the emulator is missing the case is skipped, with its name.
"""
import pathlib
import sys
import tempfile

from examples import example_bare_metal
from machine import Machine, NotHere


def main(source, build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            print(example_bare_metal(Machine(pathlib.Path(source).resolve(), pathlib.Path(build).resolve(), folder), folder))
        except NotHere as reason:
            print(f"{reason}\n[  SKIPPED ] BareMetal.MakeAlone (0 ms)")


if __name__ == "__main__":
    main(*sys.argv[1:])
