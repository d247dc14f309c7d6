"""Which functions the calls through pointers of a build may reach. GCC writes down where each is (-fcallgraph-info); the source there
names the pointer: a slot of the kernel table, a function of an op, a task of a parallel loop, the application's hook. Any other pointer
reaches what its own file takes the address of.

The call-graph files are made when they are wanted, by the commands of the build: compiler caches do not keep them."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
OP_MEMBERS = {"prepare", "run", "macs", "further_steps"}
MAY_BE_NULL = {"further_steps", "quantize_pairs", "map_sum"}  # in every op of an image; no firmware has a level with pairs; the reference (M3) has no sums of maps
OP_FUNCTION = re.compile(r"\b(run|prepare|macs|further_steps)\(ert::OpContext")
TASK = re.compile(r"\(void\*, unsigned (long|int), unsigned (long|int)\)$")
# What the application supplies runs on its own account: file, name of the pointer.
HOOKS = {("run.cc", "op_hook"), ("parallel.cc", "hook"), ("parallel.cc", "task"), ("custom.cc", "run"), ("signature.cc", "verify")}


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def kernel_slots():
    """{slot: kernels of all levels}; unary kernels under 'unary.kExp' and 'unary', those of Linears under the array that holds them
    (members of LinearKernels have the same names)."""
    slots = {}
    rows = "".join((ROOT / "kernels_int8/dispatch" / f).read_text() for f in ("kernel_list.inc", "conv_kernel_list.inc"))
    for kind, slot, name in re.findall(r"^ERT_(KERNEL|CONV_KERNEL|UNARY)\(\w+, (\w+)[^,]*, (\w+)\)", rows, re.M):
        for key in ([slot] if kind != "UNARY" else ["unary", f"unary.{slot}"]):
            slots.setdefault(key, set()).add(name)
    return slots


def call_graph_file(entry):
    """Path of the source's .ci file, made now if it is older than the object."""
    build = pathlib.Path(entry["directory"])
    command = shlex.split(entry["command"])
    at = command.index("-o")
    object_file = build / command[at + 1]
    graph = object_file.with_suffix(".ci")
    if not graph.exists() or graph.stat().st_mtime < object_file.stat().st_mtime:
        scratch = object_file.with_suffix(".callgraph.o")
        made = subprocess.run(command[:at] + ["-o", str(scratch)] + command[at + 2:] + ["-fcallgraph-info"], cwd=build, capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"{entry['file']}: no call graph\n{made.stderr}")
        scratch.with_suffix(".ci").replace(graph)
        scratch.with_suffix(".su").unlink(missing_ok=True)
        scratch.unlink()
    return graph


def names_in(text, known):
    """Members of that name in a piece of source; 'unary.kExp' for unary[static_cast<int>(Unary::kExp)]."""
    found = set()
    for name, subscript in re.findall(r"(?:->|\.)(\w+)(\[[^\]]*\])?", text):
        unary = re.search(r"Unary::(k\w+)", subscript)
        found |= {f"{name}.{unary.group(1)}" if name == "unary" and unary else name} if name in known else set()
    return found


def pointers_at(file, line, column, known):
    """Names of the pointer that is called at a place, which is that of a parenthesis: the member before it; where that is no known one,
    what the local variable of that name was set to, or the members on that line (a call in the arguments of one that was inlined).
    Another name stands for itself."""
    lines = pathlib.Path(file).read_text().splitlines()
    text = lines[line - 1]
    before = re.search(r"(?:->|\.)?(\w*)(\[[^\[]*\])?$", text[:column - 1])
    found = names_in(before.group(), known)
    if not found and before.group(1):
        found = set().union(*(names_in(value, known) for value in re.findall(rf"\b{before.group(1)} = ([^;]*);", "\n".join(lines))))
    return found or names_in(text, known) or {before.group(1)}


def sites(build, sources, known):
    """{(source file, function): {pointer names}} of the calls through pointers in the named sources of the build."""
    entries = [e for e in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()) if pathlib.Path(e["file"]).name in sources]
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, graph in zip(entries, pool.map(call_graph_file, entries)):
            for caller, label in re.findall(r'sourcename: "([^"]+)" targetname: "__indirect_call" label: "([^"]+)"', graph.read_text()):
                file, line, column = label.rsplit(":", 2)
                pointers = pointers_at(pathlib.Path(entry["directory"]) / file, int(line), int(column), known)
                found.setdefault((pathlib.Path(entry["file"]).name, caller.rsplit(":", 1)[-1]), set()).update(pointers)
    return found


def addresses_taken(readelf, build, sources):
    """{source file: symbols whose address it stores}. Of a source that several programs compile, those that were built."""
    taken, unbuilt = {}, set()
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        name = pathlib.Path(entry["file"]).name
        if name in sources:
            command = shlex.split(entry["command"])
            made = pathlib.Path(entry["directory"]) / command[command.index("-o") + 1]
            if not made.exists():
                unbuilt.add(name)
                continue
            listing = subprocess.run([readelf, "-rW", made], check=True, capture_output=True, text=True)
            taken.setdefault(name, set()).update(re.findall(r"R_ARM_(?:ABS32|THM_MOVW_ABS_NC)\s+[0-9a-f]+\s+(_Z\S+)", listing.stdout))
    if unbuilt - taken.keys():
        sys.exit(f"{build} has no object file of {', '.join(sorted(unbuilt - taken.keys()))}: build the image there first")
    return taken


def resolve(functions, readelf, build):
    """Adds to the functions' callees what they reach through pointers; `tasks` of a function are those that its file hands to
    Parallel, which runs them for that caller alone."""
    wanted = {f.source for f in functions if f.indirect and f.source}
    slots = kernel_slots()
    found = sites(build, wanted, OP_MEMBERS | set(slots) | {pointer for _, pointer in HOOKS})
    taken = addresses_taken(readelf, build, {f.source for f in functions if f.source})
    everything = set().union(*slots.values())
    kernel_of = {}
    for f in functions:
        if match := re.match(r"ert::kernels::(\w+)\(", f.pretty):
            kernel_of[f] = match.group(1)

    def own(f):
        return [g for g in functions if g.name in taken.get(f.source, ()) and g.source == f.source and g is not f]

    # What a RowBands calls of the ops that it may be made of.
    inner = {snake(name) + ".cc" for name in re.findall(r"case params::OpCode::k(\w+)", (ROOT / "rt/ops/row_bands_plan.h").read_text())}

    def reached(f, pointer):
        if (f.source, pointer) in HOOKS:
            return []
        names = slots.get(pointer)
        if names:
            return [g for g, name in kernel_of.items() if name in names]
        if pointer in OP_MEMBERS:
            targets = [g for g in functions if re.search(rf"\b{pointer}\(ert::OpContext", g.pretty)]
            return [g for g in targets if g.source in inner or f.source != "row_bands.cc"]
        return [g for g in own(f) if not OP_FUNCTION.search(g.pretty) and not TASK.search(g.pretty) and kernel_of.get(g) not in everything]

    for f in functions:
        f.tasks = [g for g in own(f) if TASK.search(g.pretty)]
        if not f.indirect or "ert::Parallel::operator()" in f.pretty:
            continue
        pointers = found.get((f.source, f.name))
        if pointers is None:
            f.unresolved = "calls through a pointer that the compiler's call graph does not have"
            continue
        for pointer in sorted(pointers):
            targets = reached(f, pointer)
            if not targets and pointer not in MAY_BE_NULL and (f.source, pointer) not in HOOKS:
                f.unresolved = f"calls through '{pointer}', which reaches nothing in the image"
            f.callees = f.callees + [g for g in targets if g not in f.callees]
