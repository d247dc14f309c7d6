"""How the project's files become parts of one: includes, conditions, namespaces of levels and ops. Used by amalgamate."""
import contextlib
import pathlib
import re
import sys

from own_names import rename_own_names

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">].*$')
# What a folder of a level checks about the compiler's flags: target attributes do not define those macros in clang.
FLAG_CHECK = re.compile(r'^#if[^\n]*(?:\\\n[^\n]*)*\n#error "(?:build with|for AArch64)[^\n]*\n#endif\n', re.M)


def read(path):
    return (ROOT / path).read_text()


def op_rows(path):
    rows = re.findall(r"^\s*ERT_OP\((\d+), (\w+)\)", path.read_text(errors="replace"), re.M)
    if not rows:
        sys.exit(f"amalgamate: {path} has no row ERT_OP(code, Name); `edgeconv export --ops` writes such a list")
    return rows


def levels():
    """Rows of isa_levels.inc: (name, ID, base features as C, {architecture: flags})."""
    rows = re.findall(r'^ERT_ISA_LEVEL\(k\w+, (\w+), (\w+), \d+, \w+, \w+, ([^,]+), "([^"]*)"\)', read("kernels_int8/contract/isa_levels.inc"), re.M)
    return [(name, id_, needs, dict(part.split(": ") for part in builds.split(", ") if part)) for id_, name, needs, builds in rows
            if name != "mve"]  # whose sources have two types of lanes: on Cortex-M55 the one file runs dsp


def with_bases(chosen):
    """The levels, and those that they start from."""
    rows = re.findall(r"^ERT_ISA_LEVEL\((k\w+), \w+, (\w+), \d+, (\w+),", read("kernels_int8/contract/isa_levels.inc"), re.M)
    names = {enumerator: name for enumerator, name, _ in rows}
    bases = {name: names[base] for _, name, base in rows}
    found = set(chosen)
    while missing := {bases[name] for name in found} - found:
        found |= missing
    return found


class OneFile:
    def __init__(self, ops, op_list):
        self.ops, self.op_list = ops, op_list
        self.shared, self.of_level, self.system = set(), set(), []
        self.conditional = set()  # headers that are there where a condition holds

    @contextlib.contextmanager
    def includes_of_its_own(self):
        """For a part of the file that a condition guards: what is included within stays behind the same condition, and may be there nowhere else."""
        outside, self.system = self.system, []
        guarded = self.system
        try:
            yield guarded
        finally:
            self.system = outside

    def expand(self, path, level=None, text=None, conditional=False):
        """A file with its project's headers in place of their includes, each once; what is under kernels_int8 but no contract is a level's own."""
        text = read(path) if text is None else text
        if level:
            text = FLAG_CHECK.sub("", text)
            nest = f"level_{level}"
            text = re.sub(r"^namespace ert::kernels \{$", f"namespace ert::kernels {{\nnamespace {nest} {{", text, flags=re.M)
            text = re.sub(r"(?<![:\w])kernels::(?=[a-z])", f"{nest}::", text)
            for other, *_ in levels():  # kernels of another level that this one declares
                if other == "ref":  # defined before, and visible
                    text = re.sub(r"^\w+ \w+_ref\([^;{]*\);", "", text, flags=re.M)
                elif other != level:
                    text = re.sub(rf"^\w+ (\w+_{other})\([^;{{]*\);", rf"using level_{other}::\1;", text, flags=re.M)
            text = re.sub(r"^\}  // namespace ert::kernels$", f"}}  // {nest}\n}}  // kernels of one level", text, flags=re.M)
        if path == "kernels_int8/avxvnni/names.h":
            text = '#define ERT_AVXVNNI_NAME(name) name##_avxvnni\n#define ERT_VEX "%{vex%} "\n'
        out, depth = [], 0
        for line in text.splitlines():
            if re.match(r"#\s*if", line):
                depth += 1
            elif re.match(r"#\s*endif", line):
                depth -= 1
            include = INCLUDE.match(line)
            if line.strip() == "#pragma once":
                continue
            if line.strip() == "#include ERT_OP_LIST":
                out += [f"ERT_OP({code}, {name})" for code, name in self.ops]
            elif include and include.group(1) == "<":
                if conditional or depth:
                    out.append(line)  # where a condition chooses it
                elif include.group(2) not in self.system:
                    self.system.append(include.group(2))
            elif include:
                out.append(self.header(include.group(2), level, conditional or depth > 0))
            else:
                out.append(line)
        return "\n".join(out) + "\n"

    def header(self, path, level, conditional):
        if path in ("rt/include/ert.h", "rt/include/ert_text.h", "ert.h"):
            return ""
        if path == "rt/schema/program_generated.h":
            return ""  # stands before everything
        if path.endswith(".inc"):
            if path == "rt/ops/op_list.inc":
                return "\n".join(f"ERT_OP({code}, {name})" for code, name in op_rows(ROOT / path))
            return self.expand(path, level, conditional=conditional).rstrip("\n")
        own = path.startswith("kernels_int8/") and path.split("/")[1] not in ("contract", "dispatch", "ref")
        seen = self.of_level if own else self.shared
        if path in seen:
            return ""
        if conditional:
            self.conditional.add(path)
        else:
            seen.add(path)
        text = self.expand(path, level if own else None, conditional=conditional).rstrip("\n")
        if path not in self.conditional:
            return text
        once = "ERT_HAS_" + re.sub(r"\W", "_", path).upper()  # it may be there already, or may not
        return f"#ifndef {once}\n#define {once}\n{text}\n#endif"

    def op(self, path):
        """An op's file in a namespace of its own."""
        nest = "op_" + pathlib.Path(path).stem
        text = re.sub(r"^namespace ert \{$", f"namespace ert {{\nnamespace {nest} {{", read(path), flags=re.M)
        return f"// ---- {path}\n" + self.expand(path, text=re.sub(r"^\}  // namespace ert$", f"}}  // {nest}\n}}  // namespace ert", text, flags=re.M))

    def sources(self, paths, level=None):
        """Source files one behind the other. Names that several keep to themselves get their file's name, macros end with their file."""
        texts = {path: self.expand(path, level) for path in paths}
        macros = {path: re.findall(r"^#define (\w+)", read(path), re.M) for path in paths}
        headers = [read(path) for path in (self.of_level if level else self.shared)]
        renamed = rename_own_names({path: read(path) for path in paths}, texts, headers)
        return "".join(f"// ---- {path}\n{renamed[path]}" + "".join(f"#undef {m}\n" for m in dict.fromkeys(macros[path])) for path in paths)
