#!/usr/bin/env python3
"""The runtime's stack on a host: blobs of every op run under a stack limit of its bound beyond what the same C program needs without it.

usage: stack_limit_test.py STACK_PROGRAM WRITE_SEEDS"""
import ctypes
import pathlib
import resource
import subprocess
import sys
import tempfile

BOUND = 16 * 1024  # rt/README.md, Stack and configuration
PAGE = 4096


def run(program, mode, blobs, limit):
    """What the program prints under this limit, or None where it does not survive it."""
    def limited():
        ctypes.CDLL(None).personality(0x0040000)  # ADDR_NO_RANDOMIZE: the stack begins at the same place every time
        resource.setrlimit(resource.RLIMIT_STACK, (limit, limit))
    r = subprocess.run([program, mode, *blobs], capture_output=True, text=True, preexec_fn=limited, env={})
    return int(r.stdout) if r.returncode == 0 else None


def least(program, mode, blobs, low, high):
    """Bytes of the smallest limit, in pages, that the program survives."""
    while low < high:
        middle = (low + high) // 2
        if run(program, mode, blobs, middle * PAGE) is None:
            low = middle + 1
        else:
            high = middle
    return high * PAGE


def main():
    program, write_seeds = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([write_seeds, "open_run", folder], check=True)
        blobs = sorted(str(p) for p in pathlib.Path(folder).iterdir())
        plenty = 8 << 20
        ran = run(program, "run", blobs, plenty)
        own = least(program, "idle", blobs, 1, plenty // PAGE)
        need = least(program, "run", blobs, 1, plenty // PAGE)
        print(f"{len(blobs)} blobs, of which {ran} ran; the program alone survives {own} bytes, with the runtime {need}")
        assert ran is not None and ran > 40, "too few blobs ran"
        assert run(program, "run", blobs, own + BOUND) == ran, f"more than {BOUND} bytes beyond the program's own"
        assert run(program, "run", blobs, own - PAGE) is None, "the limit does not limit"
    return 0


if __name__ == "__main__":
    sys.exit(main())
