"""pass_places_check.py ROOT: the lists of passes against their files. Each row of a list has its file, which defines the function and begins
with a comment, and is named in sources.cmake; each such function has its row. (contributing_check.py is about the steps of CONTRIBUTING.md.)
Exit 1 lists what is missing. --self-test, run on every start, plants one fault of each kind."""
import pathlib
import re
import sys
import tempfile

# list -> (macro, first parameter of the function)
LISTS = {
    "convert/passes/pass_list.inc": ("EDGECONV_PASS", "Graph&"),
    "convert/passes/quantized_pass_list.inc": ("EDGECONV_PASS", "Graph&"),
    "convert/program/program_pass_list.inc": ("EDGECONV_PROGRAM_PASS", "TargetProgram&"),
}


def rows(root: pathlib.Path, path: str, macro: str):
    return re.findall(rf"^{macro}\((\w+)", (root / path).read_text(), re.M)


def faults(root: pathlib.Path):
    for folder in sorted({pathlib.PurePosixPath(path).parent for path in LISTS}):
        lists = {path: LISTS[path] for path in LISTS if pathlib.PurePosixPath(path).parent == folder}
        sources = (root / folder / "sources.cmake").read_text()
        named = set()
        for path, (macro, parameter) in lists.items():
            for name in rows(root, path, macro):
                named.add(name)
                file = root / folder / f"{name}.cc"
                text = file.read_text() if file.exists() else ""
                if f"int pass_{name}({parameter}" not in text:
                    yield f"{path}: {name} has no 'int pass_{name}({parameter} ..' in {folder}/{name}.cc"
                elif not text.startswith("//"):
                    yield f"{folder}/{name}.cc does not begin by saying what the pass does"
                if f"{folder.name}/{name}.cc\n" not in sources:
                    yield f"{folder}/sources.cmake does not name {name}.cc"
        for file in sorted((root / folder).glob("*.cc")):
            for name in re.findall(r"^int pass_(\w+)\(", file.read_text(), re.M):
                if name not in named:
                    yield f"{file.relative_to(root)}: pass_{name} is in no list"


def self_test():
    files = {
        "convert/passes/pass_list.inc": "EDGECONV_PASS(present, kSameOutputs)\nEDGECONV_PASS(absent, kSameOutputs)\nEDGECONV_PASS(silent, kSameOutputs)\n",
        "convert/passes/quantized_pass_list.inc": "",
        "convert/passes/sources.cmake": "passes/present.cc\npasses/absent.cc\n",
        "convert/passes/present.cc": "// Says it.\nint pass_present(Graph& g, Diagnostics&) {\nint pass_unlisted(Graph& g) {\n",
        "convert/passes/silent.cc": "int pass_silent(Graph& g, Diagnostics&) {\n",
        "convert/program/program_pass_list.inc": "",
        "convert/program/sources.cmake": "",
    }
    wrong = ["absent has no", "silent.cc does not begin", "does not name silent.cc", "pass_unlisted is in no list"]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = list(faults(root))
    assert len(found) == len(wrong) and all(any(w in f for f in found) for w in wrong), found


if __name__ == "__main__":
    self_test()
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every pass is where it should be")
    sys.exit(1 if found else 0)
