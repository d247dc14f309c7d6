#!/usr/bin/env python3
"""The firmware example's committed transcript against what its command prints now: the same lines and answers, and figures (instructions,
bytes) within 2 %. The emulator counts instructions, so only a change of the code can move them; whoever moves them by more runs

    platform/cortex_m/example/langid/run.sh m4 m33 m55 >platform/cortex_m/example/langid/transcript.txt

usage: transcript.py ROOT [CORE...]     exit 0 if they agree; default: all cores of the file"""
import pathlib
import re
import subprocess
import sys

EXAMPLE = "platform/cortex_m/example/langid"
TOLERANCE = 0.02
SLACK = 40  # of small figures: a clock tick, an alignment
# Lines that hold texts; all other numbers are figures.
EXACT = re.compile(r"^(==|\d+ ids, )")


def sections(text):
    """{core: lines} of a transcript."""
    found, core = {}, None
    for line in text.splitlines():
        if match := re.match(r"== Cortex-(M\d+) ", line):
            core = match.group(1).lower()
        if core:
            found.setdefault(core, []).append(line)
    return found


def differs(committed, now):
    if EXACT.match(committed) or re.sub(r"\s*\d+", " 0", committed) != re.sub(r"\s*\d+", " 0", now):
        return committed != now
    pairs = zip(re.findall(r"\d+", committed), re.findall(r"\d+", now))
    return any(abs(int(a) - int(b)) > max(SLACK, TOLERANCE * int(a)) for a, b in pairs)


def faults(committed, now):
    """Lines of one core that differ; all of them if the number of lines does."""
    if len(committed) != len(now):
        return [f"{len(committed)} lines are committed, {len(now)} were printed", *now]
    return [f"committed {a!r}, now {b!r}" for a, b in zip(committed, now) if differs(a, b)]


def canary(lines):
    """A wrong answer, 3 % more instructions and a missing line must be seen; a clock tick must not."""
    answer = next(i for i, line in enumerate(lines) if "ids, English" in line)
    count = int(re.search(r"\d+", lines[answer + 1]).group())

    def with_line(i, line):
        return lines[:i] + [line] + lines[i + 1:]

    assert faults(lines, with_line(answer, lines[answer].replace("English", "French"))), "blind to wrong answers"
    assert faults(lines, with_line(answer + 1, lines[answer + 1].replace(str(count), str(count * 103 // 100)))), "blind to more instructions"
    assert faults(lines, lines[:-1]), "blind to missing lines"
    assert not faults(lines, with_line(answer + 1, lines[answer + 1].replace(str(count), str(count + 40)))), "sees clock ticks"


def main(root, cores):
    committed = sections((root / EXAMPLE / "transcript.txt").read_text())
    cores = cores or list(committed)
    result = subprocess.run([root / EXAMPLE / "run.sh", *cores], capture_output=True, text=True)
    if result.returncode != 0:
        print(f"  {EXAMPLE}/run.sh: exit {result.returncode}\n{result.stdout}{result.stderr}")
        return 1
    now, good = sections(result.stdout), True
    for core in cores:
        canary(committed[core])
        compilers = [lines[0].rsplit(", ", 1)[-1] for lines in (committed[core], now[core])]
        if compilers[0] != compilers[1]:
            print(f"  transcript of {core}: not compared, it was made with {compilers[0]} and this is {compilers[1]}")
            continue
        found = faults(committed[core], now[core])
        good &= not found
        print(f"  transcript of {core}: {'FAILED, if the change is meant run the command in tests/cortex_m/transcript.py' if found else 'as committed'}")
        for fault in found:
            print("    " + fault)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
