#!/usr/bin/env python3
"""manual.py EDGECONV VERSION FOLDER [ERT_BENCH]: manual pages (man1/) and completions for bash, zsh and fish of both programs, from what --help says."""
import os
import pathlib
import re
import subprocess
import sys

def help_of(program, verb=None):
    command = [program] + ([verb] if verb else []) + ["--help"]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"}).stdout


def verbs_of(top):
    """The verbs that the program lists: a new one needs no word here."""
    # CLI11 of Debian 13 leaves out the empty line behind a group: it ends where a line is not indented.
    group = re.match(r"(?: +\S.*\n)*", top.partition("\nVerbs:\n")[2]).group()
    verbs = re.findall(r"(?m)^  ([a-z][a-z-]*) ", group)
    if "convert" not in verbs:
        sys.exit("manual.py: --help lists no verbs")
    return verbs


def see_also(names):
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {roff(name)} (1)" for name in names) + "\n"


def roff(text):
    """Text as it stands, in roff: no line of it is a request."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def page(name, version, summary, text):
    title = name.replace(" ", "-")
    return (f'.TH {title.upper()} 1 "" "edgeconv {version}" "User Commands"\n.SH NAME\n{roff(title)} \\- {roff(summary)}\n'
            f".SH DESCRIPTION\n.nf\n{roff(text)}\n.fi\n")


def options_of(text):
    """Long options, in the order of the help."""
    return list(dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text)))


def completions_of_bench(folder, options):
    """ert-bench has no verbs: options, and files for the rest."""
    words = " ".join(options)
    (folder / "ert-bench.bash").write_text(
        "# bash completion of ert-bench: made from its --help.\n_ert_bench() {\n  local current=${COMP_WORDS[COMP_CWORD]}\n"
        f"  case $current in\n    -*) COMPREPLY=($(compgen -W '{words}' -- \"$current\")) ;;\n"
        "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n  esac\n}\ncomplete -o filenames -F _ert_bench ert-bench\n")
    (folder / "_ert-bench").write_text(f"#compdef ert-bench\n# zsh completion of ert-bench: made from its --help.\n_arguments {words} '*:file:_files'\n")
    (folder / "ert-bench.fish").write_text("# fish completion of ert-bench: made from its --help.\n" + "".join(f"complete -c ert-bench -l {o[2:]}\n" for o in options))


def main():
    program, version, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    top = help_of(program)
    verbs = verbs_of(top)
    helps = {verb: help_of(program, verb) for verb in verbs}
    bench = sys.argv[4:5]
    pages = [f"edgeconv-{verb}" for verb in verbs] + ["ert-bench"] * len(bench)
    (folder / "man1/edgeconv.1").write_text(
        page("edgeconv", version, "converts ONNX models to int8 blobs for the ert runtime", top) + see_also(pages))
    for path in bench:
        text = help_of(path)
        (folder / "man1/ert-bench.1").write_text(page("ert-bench", version, "measures how fast blobs of edgeconv run", text) + see_also(["edgeconv"]))
        completions_of_bench(folder, options_of(text))
    for verb, text in helps.items():
        if not options_of(text):
            sys.exit(f"manual.py: '{program} {verb} --help' names no option")
        summary = " ".join(text.strip().partition("\n\n")[0].split())
        (folder / f"man1/edgeconv-{verb}.1").write_text(page(f"edgeconv {verb}", version, summary, text) + see_also(["edgeconv"]))
    cases = "\n".join(f"    {v}) options='{' '.join(options_of(t))}' ;;" for v, t in helps.items())
    (folder / "edgeconv.bash").write_text(
        "# bash completion of edgeconv: made from its --help.\n_edgeconv() {\n  local options= current=${COMP_WORDS[COMP_CWORD]}\n"
        f"  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '{' '.join(verbs)}' -- \"$current\") $(compgen -f -- \"$current\"))\n"
        f"    return\n  fi\n  case ${{COMP_WORDS[1]}} in\n{cases}\n    *) options='{' '.join(options_of(helps['convert']))}' ;;\n  esac\n"
        "  case $current in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
        "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n  esac\n}\ncomplete -o filenames -F _edgeconv edgeconv\n")
    zsh = "\n".join(f"  {v}) _arguments {' '.join(options_of(t))} '*:file:_files' ;;" for v, t in helps.items())
    (folder / "_edgeconv").write_text(
        f"#compdef edgeconv\n# zsh completion of edgeconv: made from its --help.\nif (( CURRENT == 2 )); then\n  compadd {' '.join(verbs)}\n  _files\n"
        f"  return\nfi\ncase $words[2] in\n{zsh}\n  *) _files ;;\nesac\n")
    fish = [f"complete -c edgeconv -n __fish_use_subcommand -a {v}" for v in verbs]
    fish += [f"complete -c edgeconv -n '__fish_seen_subcommand_from {v}' -l {o[2:]}" for v, t in helps.items() for o in options_of(t)]
    (folder / "edgeconv.fish").write_text("# fish completion of edgeconv: made from its --help.\n" + "\n".join(fish) + "\n")


if __name__ == "__main__":
    main()
