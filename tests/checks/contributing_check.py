#!/usr/bin/env python3
"""The tasks of CONTRIBUTING.md ("Adding ..") against the tree. Each task is a numbered list of places with an example. It has at most eight places,
every file that it names exists, every place but those of TASKS knows the example, and no other source file does: a place that nobody named is
found as soon as the example needs it. Also: every option of a verb is given by a test, and every runtime op has a row in its README. Exit 1 lists what is wrong.

usage: contributing_check.py ROOT     --self-test, run on every start, plants one fault of each kind"""
import dataclasses
import pathlib
import re
import sys
import tempfile

MOST_PLACES = 8
SOURCES = ("convert", "rt", "kernels_int8", "platform", "tests", "bench")
SUFFIXES = {".c", ".cc", ".h", ".inc", ".py", ".sh", ".cmake", ".fbs", ".json", ".txt"}
OP_LIST, OP_README = "rt/ops/op_list.inc", "rt/ops/README.md"
OWN_FILE = "tests/checks/contributing_check.py"


@dataclasses.dataclass
class Task:
    heading: str  # how the section begins
    example: str  # what a file that knows the example matches
    elsewhere: dict = dataclasses.field(default_factory=dict)   # file that knows the example and is no place of the list: why
    silent: dict = dataclasses.field(default_factory=dict)      # file of a place that does not know the example: why
    also: str = ""  # the heading of a section whose places the list refers to


ALL_OPERATORS = {
    "convert/import/arity.cc": "has every operator of ONNX already",
    "convert/import/schema_list.inc": "the same",
    "tests/cli/malformed_operators.cc": "one of four operators with a number that must be single",
}

# In the order of the lists of CONTRIBUTING.md.
TASKS = [
    Task("Adding an ONNX operator", r"(?i)trilu", also="Adding a runtime op", elsewhere=ALL_OPERATORS),
    Task("Adding a pass", r"fuse_glu", silent={"tests/convert/passes/rope_glu_test.cc": "runs all passes and counts the nodes that fuse_glu makes"}),
    Task("Adding a pass", r"coarse_activations"),
    Task("Adding a runtime op", r"(?i)trilu", also="Adding an ONNX operator", elsewhere=ALL_OPERATORS),
    Task("Adding an ISA level", r"(?i)sse41", elsewhere={
        "bench/compare/answer_cpuid.c": "what peers are told on smaller CPUs",
        "bench/compare/goals.py": "the levels of that comparison, with their goals",
        "bench/compare/speed_test.py": "these goals",
        "bench/compare/options_test.py": "its options",
        "bench/modelled/x86_ports.py": "the tiles that it models",
        "tests/digest/run_instructions.json": "a record, which run_instructions.py --record writes",
        "tests/kernels_int8/dispatch_test.cc": "the features that the test asks the compiler for",
    }),
    Task("Adding an option of a verb", r'--compress\b|[.>]compress\b|bool compress\b|compress = "none"|"compression"|compress_test', elsewhere={
        "convert/cli/json_schemas/inspect_blob.schema.json": "inspect reads it from the blob",
        "convert/report/blob_inspection.cc": "the same",
        "convert/report/blob_inspection.h": "the same",
        "convert/pipeline/choose_precisions.cc": "asks for plans of so many bytes, which are those of the file that is written",
        "convert/text/unicode/generate.py": "packs its data with zlib",
        "rt/loading/unpack.cc": "its first comment says what is unpacked",
    }, silent={"convert/result/convert_result.h": "its name for what came out is `packed`",
               "convert/pipeline/conversion.h": "says only that there is the step"}),
]


def sections(text):
    """{heading: body}"""
    parts = re.split(r"^## (.*)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def lists(body):
    """The numbered lists of a section, each the texts of its items. An item goes on in lines that are indented."""
    found, number = [], 0
    inside = False
    for line in body.splitlines():
        if item := re.match(r"(\d+)\. ", line):
            if int(item[1]) == 1:
                found.append([])
            elif int(item[1]) != number + 1:
                return None
            number, inside = int(item[1]), True
            found[-1].append(line)
        elif inside and (line.startswith("   ") or not line):
            found[-1][-1] += "\n" + line
        else:
            inside = False
    return found


def named(item, task, remarks=False):
    """Files and folders (ending in /) that an item names. A sentence in parentheses is a remark and no place:
    it says what misses one."""
    text = re.sub(r"```.*?```" if remarks else r"```.*?```|\([^()]*\.\)", "", item, flags=re.S)
    for path in re.findall(r"`([\w./-]+\.[a-z]+|(?:[\w.-]+/)+)`", text):
        if "/" in path or path.endswith(".md"):
            yield path


def sources(root):
    """{path below root: text} of all source files."""
    files = [f for top in SOURCES for f in sorted((root / top).rglob("*")) if f.suffix in SUFFIXES]
    texts = {f.relative_to(root).as_posix(): f.read_text(errors="replace") for f in files}
    return {name: text for name, text in texts.items() if name != OWN_FILE}


def knowing(texts, pattern):
    """Those that match a pattern or are named so."""
    pattern = re.compile(pattern)
    return {name for name, text in texts.items() if pattern.search(name) or pattern.search(text)}


def covers(places, file):
    return any(file == p or (p.endswith("/") and file.startswith(p)) for p in places)


def list_of(task, tasks, found):
    """The list of a task: the first of its section for the first task with that heading, and so on."""
    return found[[t for t in tasks if t.heading == task.heading].index(task)]


def task_faults(root, tasks):
    bodies = sections((root / "CONTRIBUTING.md").read_text())
    found = {}
    for heading in dict.fromkeys(t.heading for t in tasks):
        body = next((b for h, b in bodies.items() if h.startswith(heading)), None)
        found[heading] = lists(body) if body is not None else None
        wanted = sum(t.heading == heading for t in tasks)
        if found[heading] is None or len(found[heading]) != wanted:
            yield f"CONTRIBUTING.md: '{heading}' has not {wanted} numbered list(s), which is what this check expects"
            return
    for heading in bodies:
        if heading.startswith("Adding") and not any(heading.startswith(t.heading) for t in tasks):
            yield f"CONTRIBUTING.md: '{heading}' is held to nothing: it is no task of {OWN_FILE}"
    texts = sources(root)
    for task in tasks:
        items = list_of(task, tasks, found[task.heading])
        where = f"CONTRIBUTING.md, {task.heading}"
        if len(items) > MOST_PLACES:
            yield f"{where}: {len(items)} places, more than {MOST_PLACES}"
        places = [list(named(item, task)) for item in items]
        every = [p for item in places for p in item]
        for place in dict.fromkeys(named("\n".join(items), task, remarks=True)):
            if not (root / place).exists():
                yield f"{where} names {place}, which is not there"
        files = knowing(texts, task.example)
        for number, item in enumerate(places, 1):
            judged = [p for p in item if p not in task.silent and not p.endswith(".md")]
            if not item:
                yield f"{where}: place {number} names no file"
            for place in judged:
                if (root / place).exists() and place not in GENERAL and not any(covers([place], f) for f in files):
                    yield f"{where}: {place} does not know the example"
        for other in (t for t in tasks if t.heading == task.also):
            every += [p for item in list_of(other, tasks, found[other.heading]) for p in named(item, other)]
        for file in sorted(files):
            if not covers(every, file) and file not in task.elsewhere:
                yield f"{where}: {file} knows the example and is not named"
        for file in [*task.elsewhere, *task.silent]:
            if file in task.silent and file in files or file in task.elsewhere and (file not in files or covers(every, file)):
                yield f"{OWN_FILE}: the exception for {file} is no longer needed"


# What lists point to for its vocabulary.
GENERAL = {"convert/passes/match.h", "convert/cli/arguments.h"}


def option_faults(root):
    tests = "".join(f.read_text(errors="replace") for f in sorted((root / "tests").rglob("*")) if f.suffix in (".cc", ".h", ".py"))
    declared = 0
    for file in sorted((root / "convert/cli").glob("*.cc")):
        for names in re.findall(r'\ba\.(?:option|flag)\("(-[^"]+)"', file.read_text()):
            declared += 1
            if not any(re.search(rf'(?<![\w-]){re.escape(name)}(?![\w-])', tests) for name in names.split(",")):
                yield f"{file.relative_to(root)}: no test gives {names}"
    if not declared:
        yield "convert/cli: the check is blind: no option is declared as it expects"


def op_faults(root):
    described = re.findall(r"^\| ([\w, ]+) \|", (root / OP_README).read_text(), re.M)
    described = {name for names in described for name in names.split(", ")}
    names = re.findall(r"^ERT_OP\(\d+, (\w+)\)", (root / OP_LIST).read_text(), re.M)
    if not names:
        yield f"{OP_LIST}: the check is blind: no row is as it expects"
    for name in names:
        if name not in described:
            yield f"{OP_README}: no row for {name}"


def faults(root, tasks):
    yield from task_faults(root, tasks)
    yield from option_faults(root)
    yield from op_faults(root)


def self_test():
    right = "## Adding a dish: soup\nIntro.\n1. **It**: `rt/soup.cc`\n   goes on\n2. `rt/list.inc`\n3. `CHANGELOG.md`\n\nAfter.\n"
    files = {"CONTRIBUTING.md": right, "CHANGELOG.md": "", "rt/soup.cc": "int main", "rt/list.inc": "DISH(soup)\n", "bench/menu.py": "soup",
             OP_LIST: "ERT_OP(1, Boil)\n", OP_README: "| Boil | water |\n",
             "convert/cli/eat.cc": 'a.option("-s,--spoon", o->spoon);\n', "tests/cli/eat_test.cc": '{"--spoon"}'}
    plants = [
        ({}, None),
        ({"CONTRIBUTING.md": right.replace("3. ", "".join(f"{n}. `rt/soup.cc`\n" for n in range(3, 9)) + "9. ")}, "9 places, more than 8"),
        ({"CONTRIBUTING.md": right.replace("2. ", "2. `rt/gone.cc` ")}, "gone.cc, which is not there"),
        ({"CONTRIBUTING.md": right.replace("inc`", "inc`. (Or `rt/gone.cc` fails.)")}, "gone.cc, which is not there"),
        ({"CONTRIBUTING.md": right.replace("`rt/list.inc`", "a row somewhere")}, "place 2 names no file", "rt/list.inc knows the example"),
        ({"convert/cook.cc": "// Soup, soup_of_the_day"}, "convert/cook.cc knows the example and is not named"),
        ({"rt/list.inc": "DISH(stew)\n"}, "rt/list.inc does not know the example"),
        ({"bench/menu.py": "stew"}, "exception for bench/menu.py is no longer needed"),
        ({"CONTRIBUTING.md": right.replace("2. ", "4. ")}, "has not 1 numbered list"),
        ({"CONTRIBUTING.md": right + "## Adding a drink\n1. `rt/soup.cc`\n"}, "'Adding a drink' is held to nothing"),
        ({OP_LIST: "ERT_OP(1, Boil)\nERT_OP(2, Bake)\n"}, "no row for Bake"),
        ({"tests/cli/eat_test.cc": '"--spoons"'}, "no test gives -s,--spoon"),
    ]
    for changed, *wrong in plants:
        tasks = [Task("Adding a dish", "soup", elsewhere={"bench/menu.py": "a menu"})]
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**files, **changed}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = list(faults(root, tasks))
        wanted = [w for w in wrong if w]
        assert len(found) == len(wanted) and all(any(w in f for f in found) for w in wanted), (changed, found)


if __name__ == "__main__":
    self_test()
    found = [] if sys.argv[1] == "--self-test" else list(faults(pathlib.Path(sys.argv[1]), TASKS))
    print("\n".join(found) or f"{len(TASKS)} lists of CONTRIBUTING.md are complete")
    sys.exit(1 if found else 0)
