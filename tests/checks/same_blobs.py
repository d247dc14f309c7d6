#!/usr/bin/env python3
"""same_blobs.py REF [--edgeconv PATH] [--models DIR]... [--jobs N] [--any-text]: whether this checkout writes the blobs that commit REF wrote.

Builds edgeconv of REF in a clone below the build folder (kept there for the next time), converts every .onnx below the folders of models with
both, under the options of OPTIONS, and compares the blobs byte for byte, the exit codes and what was printed. Default models: tests/fixtures,
tests/models and ERT_FIXTURES. For work that must not change what users get. Exit 1 lists the differences; --self-test proves that one is found."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = [[], ["--precision", "int8"], ["--precision", "w8a16"], ["--precision", "fp32"], ["--max-loss", "0.0004"], ["--padding", "compute"],
           ["--target", "cortex-m"]]
SECONDS = 600


def build(ref: str) -> pathlib.Path:
    commit = subprocess.check_output(["git", "rev-parse", ref + "^{commit}"], cwd=ROOT, text=True).strip()
    folder = ROOT / "build" / "same_blobs" / commit[:12]
    binary = folder / "build" / "release" / "convert" / "edgeconv"
    if not binary.exists():
        print(f"building edgeconv of {commit[:12]} in {folder}", file=sys.stderr)
        if not folder.exists():
            subprocess.check_call(["git", "clone", "-q", str(ROOT), str(folder)])
            subprocess.check_call(["git", "checkout", "-q", commit], cwd=folder)
        subprocess.check_call(["cmake", "--preset", "release"], cwd=folder, stdout=subprocess.DEVNULL)
        subprocess.check_call(["cmake", "--build", "--preset", "release", "--target", "edgeconv"], cwd=folder, stdout=subprocess.DEVNULL)
    return binary


def without_costs(text: str) -> str:
    return re.sub(r"\b\d+(\.\d+)? ?m?s\b", "TIME", re.sub(r"\b\d+(\.\d+)? [kMG]?B of memory", "MEMORY", text))


def convert(binary: str, model: pathlib.Path, options: list[str]):
    """(exit code, what was printed without times, memory and paths, the blob)"""
    with tempfile.TemporaryDirectory() as folder:
        blob = pathlib.Path(folder) / "out.ert"
        try:
            run = subprocess.run([binary, str(model), "-o", str(blob), *options], capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, "took too long", b""
        text = (run.stdout + run.stderr).decode(errors="replace").replace(folder, "DIR")
        return run.returncode, without_costs(text), blob.read_bytes() if blob.exists() else b""


def difference(before, after):
    for what, a, b in zip(("exit code", "text", "blob"), before, after):
        if a != b:
            return f"{what} differs" + ("" if what == "blob" else f":\n--- before\n{a}\n--- after\n{b}")
    return None


def self_test():
    assert difference((0, "a", b"x"), (0, "a", b"x")) is None
    for other in ((1, "a", b"x"), (0, "b", b"x"), (0, "a", b"y")):
        assert difference((0, "a", b"x"), other), other
    assert without_costs("cost 2.1 s of CPU time, 16.98 MB of memory at most") == without_costs("cost 900 ms of CPU time, 9 kB of memory at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ref", nargs="?")
    parser.add_argument("--edgeconv", default=str(ROOT / "build" / "release" / "convert" / "edgeconv"))
    parser.add_argument("--before", help="an edgeconv that is built already, instead of REF")
    parser.add_argument("--models", action="append", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="default options only")
    parser.add_argument("--any-text", action="store_true", help="compare blobs and exit codes, not what is printed")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    self_test()
    if args.self_test:
        return 0
    if not args.before and not args.ref:
        parser.error("which commit to compare with? same_blobs.py REF")
    before = args.before or str(build(args.ref))
    folders = args.models or [ROOT / "tests" / "fixtures", ROOT / "tests" / "models",
                              pathlib.Path(os.environ.get("ERT_FIXTURES", ROOT.parent / "shared" / "fixtures"))]
    models = sorted({path for folder in folders if folder.is_dir() for path in folder.rglob("*.onnx")})
    cases = [(model, options) for options in (OPTIONS[:1] if args.quick else OPTIONS) for model in models]
    different, converted = 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        pairs = pool.map(lambda case: (convert(before, *case), convert(args.edgeconv, *case)), cases)
        for (model, options), (a, b) in zip(cases, pairs):
            converted += bool(a[2])
            if args.any_text:
                a, b = (a[0], "", a[2]), (b[0], "", b[2])
            if found := difference(a, b):
                different += 1
                print(f"{model} {' '.join(options)}: {found}", flush=True)
    print(f"{len(cases)} conversions of {len(models)} models, {converted} gave a blob, {different} differ")
    return 1 if different or not converted else 0


if __name__ == "__main__":
    sys.exit(main())
