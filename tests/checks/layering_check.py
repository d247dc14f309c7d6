"""layering_check.py ROOT: every #include between the project's folders follows the table of ARCHITECTURE.md ("May include").
Exit 1 lists each include that breaks it. --self-test proves that a planted violation is found."""
import pathlib
import re
import sys

# folder -> folders whose headers it may include. Nothing includes tests or bench.
ALLOWED = {
    "platform": {"platform"},
    "kernels_int8": {"kernels_int8"},
    "rt": {"rt", "kernels_int8", "platform"},
    "convert": {"convert", "rt", "kernels_int8", "platform"},
    "bench": {"bench", "tests", "convert", "rt", "kernels_int8", "platform"},
    "tests": {"tests", "bench", "convert", "rt", "kernels_int8", "platform"},
}
# System headers that a layer must not use, by regular expression.
FORBIDDEN = {
    "kernels_int8": r"^(stdio\.h|iostream|vector|string|memory|new|cstdlib|stdlib\.h|thread|mutex|atomic|functional|map)$",
    "rt": r"^(stdio\.h|iostream|vector|string|memory|cstdlib|stdlib\.h|thread|mutex|functional|map)$",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def violations(root: pathlib.Path):
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cc", ".c", ".inc"} or "example" in path.parts:
                continue
            for bracket, name in INCLUDE.findall(path.read_text(errors="replace")):
                top = name.split("/")[0]
                if top in ALLOWED and top not in allowed:
                    yield f"{path.relative_to(root)}: {folder} must not include {name}"
                if bracket == "<" and re.match(FORBIDDEN.get(folder, r"^$"), name):
                    yield f"{path.relative_to(root)}: {folder} must not use <{name}>"


def self_test():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ALLOWED:
            (root / name).mkdir()
        (root / "kernels_int8" / "a.cc").write_text('#include "rt/op.h"\n#include <vector>\n')
        found = list(violations(root))
        assert len(found) == 2, found


if __name__ == "__main__":
    self_test()
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "layering holds")
    sys.exit(1 if found else 0)
