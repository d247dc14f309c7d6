"""The first answer of a new user: the lines of toolchains/package/README.md, typed into an empty folder beside a checkout; five at most, two minutes at most."""
import re
import resource
import subprocess
import time

from machine import NotHere

MOST_LINES, MOST_SECONDS = 5, 120
HEAD = "## A first answer\n"


def blocks(text):
    """{way: its lines} of the section: each block stands behind a line "The way, and what is said of it:"."""
    section = text[text.index(HEAD):].split("\n## ")[0]
    return {name.strip(): lines.splitlines() for name, lines in re.findall(r"^([\w ]+)[^\n]*:\n```\n(.*?)\n```$", section, re.M | re.S)}


def typed(machine, folder, lines):
    """Each line by a shell, without a compiler cache: (what the last one says, seconds that count, what is to be told)."""
    assert len(lines) <= MOST_LINES and not any(joint in line for line in lines for joint in ("&&", ";")), f"more than {MOST_LINES} commands: {lines}"
    env = {"CMAKE_C_COMPILER_LAUNCHER": "", "CMAKE_CXX_COMPILER_LAUNCHER": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    counted, told, said = 0.0, "", ""
    for line in lines:
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        said = machine.run("sh", "-c", line, cwd=folder, env=env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if "pip wheel" in line:
            told = f", wheel built in {cpu:.0f} CPU seconds"
            continue
        counted += min(cpu, time.monotonic() - begin)  # the clock alone tells of the neighbours' work too, where the machine is busy
    return said, counted, told


def checkout(machine, folder):
    """A clone of the commit, on the branch that the lines name; of a source package a link to it, which FetchContent cannot clone."""
    source = folder / "edgeconv"
    if subprocess.run(["git", "clone", "-q", "--no-hardlinks", machine.source, source], capture_output=True).returncode == 0:
        machine.run("git", "-C", source, "checkout", "-q", "-B", "main")
        return True
    source.symlink_to(machine.source)
    return False


def first_answer(machine, folder):
    """Every way; all of them name the language."""
    ways = blocks((machine.source / "toolchains/package/README.md").read_text())
    assert list(ways) == ["An installed prefix", "add_subdirectory", "FetchContent", "The one file", "The wheel"], list(ways)
    took, absent = [], []
    for name, lines in ways.items():
        place = folder / re.sub(r"\W", "-", name)
        place.mkdir()
        if not checkout(machine, place) and name == "FetchContent":
            absent.append(f"{name}: no checkout of git")
            continue
        if "venv" in lines[0] and subprocess.run(["python3", "-c", "import ensurepip"], capture_output=True).returncode != 0:
            absent.append(f"{name}: python3 has no venv (Debian: python3-venv)")
            continue
        said, seconds, told = typed(machine, place, lines)
        assert "German" in said, f"{name}: {said}"
        assert seconds <= MOST_SECONDS, f"{name}: {seconds:.0f} seconds"
        took.append(f"{name}: {len(lines)} lines, {seconds:.0f} s{told}")
        subprocess.run(["rm", "-rf", place], check=True)
    if absent:
        raise NotHere("; ".join(took + absent))
    return "; ".join(took)

