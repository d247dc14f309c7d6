"""Names that a source file keeps to itself, in unnamed namespaces: where several files become one, equal ones get their file's name."""
import collections
import pathlib
import re


def own_blocks(text):
    return re.findall(r"^namespace \{$(.*?)^\}  // namespace$", text, re.M | re.S)


def own_names(text):
    """What the unnamed namespaces of a file declare: at the left margin, as .clang-format has it, and enumerators of plain enums."""
    names = set()
    for block in own_blocks(text):
        block = re.sub(r"//[^\n]*", "", block)
        for body in re.findall(r"^enum(?: \w+)? *(?:: *\w+ *)?\{([^}]*)\}", block, re.M):
            names.update(re.findall(r"(\w+)\s*(?:=[^,}]*)?(?:,|$)", body.strip()))
        for line in block.splitlines():
            if not re.match(r"[A-Za-z_]", line) or re.match(r"(public|private|protected|return|case|template <[^>]*>$)", line):
                continue
            line = re.sub(r"__attribute__\(\(([^()]|\([^()]*\))*\)\) ?|\balignas\([^()]*\) ?", "", line)
            line = re.sub(r"^template <.*?> (?=\w)", "", line)
            kind = re.match(r"(?:struct|class|enum class|enum|union) (\w+)", line)
            alias = re.match(r"using (\w+) =", line)
            function = re.match(r"(?!typedef|using|static_assert)[^=({;]*?(?<![\w:])(\w+)\(", line)  # of no class
            variable = re.match(r"(?!typedef|using|struct|class|enum)[^({;=]*?\b(\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)", line)
            several = re.match(r"constexpr [\w:]+ (.*);", line)
            if kind:
                names.add(kind.group(1))
            elif alias:
                names.add(alias.group(1))
            elif function:
                names.add(function.group(1))
            elif variable:
                names.add(variable.group(1))
            if several and not function:
                names.update(re.findall(r"\b(k[A-Z]\w*)(?= =|\[)", several.group(1)))
    return names


def rename_own_names(sources, texts, headers):
    """texts by path, with every name that two of the sources, or one and a header that others include, declare, renamed in the sources."""
    names = {path: own_names(text) for path, text in sources.items()}
    count = collections.Counter(name for found in list(names.values()) + [own_names(h) for h in headers] for name in found)
    renamed = {}
    for path, text in texts.items():
        stem = pathlib.Path(path).stem
        for name in sorted(n for n in names[path] if count[n] > 1):
            text = re.sub(rf'(?<![\w.":])(?<!->){name}\b(?!")', f"{name}_in_{stem}", text)
        renamed[path] = text
    return renamed
