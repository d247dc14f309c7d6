"""layering_check.py ROOT: the rules about #include that ARCHITECTURE.md states. Exit 1 lists each include that breaks one.
--self-test, run on every start, plants violations of each kind and demands that they are found.

1. Between top folders: the table ALLOWED; and no system header that a layer must do without (FORBIDDEN).
2. Inside convert, rt and kernels_int8: LAYERS lists the folders from low to high. A file may include its own folder and those that stand
   before it, so that there is no cycle between folders. The files of one folder are one unit.
3. No file of the runtime asks how the compiler optimises it (OPTIMISATION): files of one library differ in that, and what they share in headers
   would be different code in each. rt/base/small_code.h has the build's own answer."""
import pathlib
import re
import sys
import tempfile

# folder -> folders whose headers it may include. Nothing includes tests or bench.
ALLOWED = {
    "platform": {"platform"},
    "kernels_int8": {"kernels_int8"},
    "rt": {"rt", "kernels_int8", "platform"},
    "convert": {"convert", "rt", "kernels_int8", "platform"},
    "python": {"python", "platform"},  # of the runtime only ert.h and ert_text.h, as applications have them
    "bench": {"bench", "tests", "convert", "rt", "kernels_int8", "platform"},
    "tests": {"tests", "bench", "convert", "rt", "kernels_int8", "platform"},
}
# System headers that a layer must not use, by regular expression.
FORBIDDEN = {
    "kernels_int8": r"^(stdio\.h|iostream|vector|string|memory|new|cstdlib|stdlib\.h|thread|mutex|atomic|functional|map)$",
    "rt": r"^(stdio\.h|iostream|vector|string|memory|cstdlib|stdlib\.h|thread|mutex|functional|map)$",
}
# Folders from low to high.
LAYERS = {
    "convert": [
        "ir", "files", "interp", "infer", "program", "passes", "run", "measure", "quantize", "dims", "lower", "lower/nodes", "onnx", "import",
        "import_graph", "task", "prepare", "inputs", "text/unicode", "text/files", "text/folder", "text", "blob", "precision", "result", "report", "pipeline", "cli",
    ],
    "rt": ["include", "schema", "base", "blob", "ops", "sizes", "verify", "loading", "context", "running", "text"],
    "kernels_int8": [
        "contract", "ref", "simd", "loops", "sse41", "avx2", "avxvnni", "avx512vnni", "neon", "dotprod", "i8mm", "dsp", "mve", "dispatch",
    ],
}
OPTIMISATION = re.compile(r"^\s*#.*\b(__OPTIMIZE__|__OPTIMIZE_SIZE__|__NO_INLINE__)\b", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SUFFIXES = {".h", ".cc", ".c", ".inc"}


def includes(root: pathlib.Path, top: str):
    """(path relative to root, bracket, name) of every include below a top folder; examples are programs of their own."""
    for path in sorted((root / top).rglob("*")):
        if path.suffix in SUFFIXES and "example" not in path.parts:
            for bracket, name in INCLUDE.findall(path.read_text(errors="replace")):
                yield path.relative_to(root), bracket, name


def top_violations(root: pathlib.Path):
    for top, allowed in ALLOWED.items():
        for path, bracket, name in includes(root, top):
            other = name.split("/")[0]
            if bracket == '"' and name.startswith("."):
                yield f"{path}: {name} is relative: write the path from the root, by which layers are told"
            if other in ALLOWED and other not in allowed:
                yield f"{path}: {top} must not include {name}"
            if bracket == "<" and re.match(FORBIDDEN.get(top, r"^$"), name):
                yield f"{path}: {top} must not use <{name}>"


def folder_of(name: str):
    """Folder below the top folder: "convert/lower/nodes/rnn.cc" -> "lower/nodes"; "" for a file of the top folder itself."""
    return "/".join(name.split("/")[1:-1])


def layer_violations(root: pathlib.Path):
    for top, order in LAYERS.items():
        level = {folder: i for i, folder in enumerate(order)}
        for path, _, name in includes(root, top):
            if name.split("/")[0] != top:
                continue
            here, there = folder_of(path.as_posix()), folder_of(name)
            for folder in (here, there):
                if folder not in level:
                    yield f"{path}: the folder '{top}/{folder}' stands in no layer of layering_check.py"
                    break
            else:
                if level[there] > level[here]:
                    yield f"{path}: {top}/{here} must not include {name}, which stands above it"


def optimisation_violations(root: pathlib.Path):
    for top in ("platform", "kernels_int8", "rt"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES:
                for macro in OPTIMISATION.findall(path.read_text(errors="replace")):
                    yield f"{path.relative_to(root)}: {macro} differs between the files of one library; ask ERT_SMALL_CODE (rt/base/small_code.h)"


def violations(root: pathlib.Path):
    yield from top_violations(root)
    yield from layer_violations(root)
    yield from optimisation_violations(root)


def self_test():
    planted = {
        "rt/base/b.h": ["#if !defined(__OPTIMIZE_SIZE__) && ERT_B", "// __OPTIMIZE__ in words is none"],
        "rt/ops/a.cc": ['#include "rt/base/b.h"', '#include "rt/verify/c.h"', '#include "../verify/d.h"'],
        "rt/loose.cc": ['#include "rt/base/b.h"'],
        "kernels_int8/ref/a.cc": ['#include "rt/ops/op.h"', "#include <vector>", '#include "kernels_int8/contract/b.h"', '#include "kernels_int8/avx2/c.h"'],
        "convert/ir/a.cc": ['#include "convert/ir/b.h"', '#include "convert/cli/c.h"'],
        "convert/cli/c.cc": ['#include "convert/ir/b.h"', '#include "convert/attic/d.h"'],
    }
    wrong = {"__OPTIMIZE_SIZE__", "rt/verify/c.h", "../verify/d.h", "'rt/'", "rt/ops/op.h", "vector", "kernels_int8/avx2/c.h", "convert/cli/c.h", "'convert/attic'"}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, lines in planted.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("\n".join(lines) + "\n")
        found = list(violations(root))
    for fault in wrong:
        assert sum(fault in line for line in found) == 1, (fault, found)
    assert len(found) == len(wrong), found


if __name__ == "__main__":
    self_test()
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "layering holds")
    sys.exit(1 if found else 0)
