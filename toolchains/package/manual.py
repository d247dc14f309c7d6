#!/usr/bin/env python3
"""manual.py EDGECONV VERSION FOLDER: manual pages (man1/) and completions for bash, zsh and fish, from what --help says."""
import pathlib
import re
import subprocess
import sys

VERBS = ["convert", "inspect", "verify", "run", "validate", "export", "supported-ops", "keygen", "sign"]


def help_of(program, verb=None):
    return subprocess.run([program] + ([verb] if verb else []) + ["--help"], check=True, capture_output=True, text=True).stdout


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


def main():
    program, version, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    top = help_of(program)
    helps = {verb: help_of(program, verb) for verb in VERBS}
    (folder / "man1/edgeconv.1").write_text(page("edgeconv", version, "converts ONNX models to int8 blobs for the ert runtime", top))
    for verb, text in helps.items():
        if not options_of(text):
            sys.exit(f"manual.py: '{program} {verb} --help' names no option")
        summary = next((line.strip() for line in text.splitlines() if line.strip()), verb)
        (folder / f"man1/edgeconv-{verb}.1").write_text(page(f"edgeconv {verb}", version, summary, text))
    cases = "\n".join(f"    {v}) options='{' '.join(options_of(t))}' ;;" for v, t in helps.items())
    (folder / "edgeconv.bash").write_text(
        "# bash completion of edgeconv: made from its --help.\n_edgeconv() {\n  local options= current=${COMP_WORDS[COMP_CWORD]}\n"
        f"  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '{' '.join(VERBS)}' -- \"$current\") $(compgen -f -- \"$current\"))\n"
        f"    return\n  fi\n  case ${{COMP_WORDS[1]}} in\n{cases}\n    *) options='{' '.join(options_of(helps['convert']))}' ;;\n  esac\n"
        "  case $current in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
        "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n  esac\n}\ncomplete -o filenames -F _edgeconv edgeconv\n")
    zsh = "\n".join(f"  {v}) _arguments {' '.join(options_of(t))} '*:file:_files' ;;" for v, t in helps.items())
    (folder / "_edgeconv").write_text(
        f"#compdef edgeconv\n# zsh completion of edgeconv: made from its --help.\nif (( CURRENT == 2 )); then\n  compadd {' '.join(VERBS)}\n  _files\n"
        f"  return\nfi\ncase $words[2] in\n{zsh}\n  *) _files ;;\nesac\n")
    fish = [f"complete -c edgeconv -n __fish_use_subcommand -a {v}" for v in VERBS]
    fish += [f"complete -c edgeconv -n '__fish_seen_subcommand_from {v}' -l {o[2:]}" for v, t in helps.items() for o in options_of(t)]
    (folder / "edgeconv.fish").write_text("# fish completion of edgeconv: made from its --help.\n" + "\n".join(fish) + "\n")


if __name__ == "__main__":
    main()
