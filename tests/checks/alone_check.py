#!/usr/bin/env python3
"""alone_check.py ROOT BUILD [FILE...]: whether each source of the converter compiles alone, with no precompiled header and no other source before
it (cmake/build_together.cmake): a file names all that it needs. Only the syntax is checked. Default: all sources of convert; takes minutes."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def alone(root: pathlib.Path, build: pathlib.Path, source: pathlib.Path) -> str:
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", f"-I{root}", "-isystem", str(build / "generated"), "-isystem",
               str(build / "rt/generated"), "-isystem", "/usr/include/x86_64-linux-gnu/openblas-pthread", str(source)]
    made = subprocess.run(command, capture_output=True, text=True)
    first = next((line for line in made.stderr.splitlines() if "error" in line), "")
    return "" if made.returncode == 0 else first or made.stderr[:200]


def main() -> int:
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sources = [pathlib.Path(name) for name in sys.argv[3:]] or sorted((root / "convert").rglob("*.cc"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for line in pool.map(lambda s: alone(root, build, s), sources) if line]
    print("\n".join(found) or f"{len(sources)} sources compile alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
