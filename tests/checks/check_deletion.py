#!/usr/bin/env python3
"""Deletes each check of the loader and the verifier, one at a time, and asks whether the runtime's tests notice.

    tests/checks/check_deletion.py            all of them (about 10 CPU minutes after the build)
    tests/checks/check_deletion.py --list     what would be deleted
    tests/checks/check_deletion.py KEY...     only these: whole keys, or the names of files

A check is an operand of || in a condition that leads to a refusal, an operand of && in an answer that is true where all is well, or the
whole of either. Each file is compiled once, with every check behind a switch, in a copy of the sources under build/check_deletion; a
run of the tests deletes the one that ERT_DELETED_CHECK names. A check that no test notices must stand in redundant_checks.txt with the
reason. Exit 1 where one does not, or where the list names what is noticed or is not there.
"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build", "check_deletion")
COPIED = ["CMakeLists.txt", "convert/blob/version.h", "cmake", "platform", "kernels_int8", "rt", "tests/support", "tests/cortex_m", "tests/rt", "tests/kernels_int8", "tests/fuzz", "tests/CMakeLists.txt"]
FILES = ["rt/blob/header.cc", "rt/loading/model.cc", "rt/loading/recheck.cc", "rt/loading/signature.cc", "rt/loading/unpack.cc", "rt/loading/work.cc", "rt/text/open.cc", "rt/text/task.cc"] + sorted(
    "rt/verify/" + f for f in os.listdir(os.path.join(ROOT, "rt/verify")) if f.endswith(".cc"))
TESTS = [["tests/rt/rt_test", "--gtest_filter=-Pool.*:Threads/*:OpenMemory.*"], ["tests/rt/rt_unpack_test"], ["tests/rt/rt_signature_test"], ["tests/fuzz/fuzz_replay_test"]]
TEXT_TESTS = [["tests/rt/rt_text_test"]]  # those of rt/text
LIST = os.path.join(ROOT, "tests", "checks", "redundant_checks.txt")
REFUSALS = re.compile(r"^(false|ERT_ERR_\w+|status|header|counts|semantics|ops|smallest|after)$")
# Functions and answers that are true where something is so, not where all is well.
NO_CHECK = re.compile(
    r"^(true|false|ERT_\w+|nullptr|\*this|-?\d+u?|[a-z_]+|memory\.\w+\(\)|.*\? (0|p\.|\"\"|uint32_t).*|.*<<.*|.*\? verify_column_sums.*"
    r"|dtype != ERT_F32|dtype == ERT_I32 \|\| dtype == ERT_I64|op\.code\(\) == .*|kind_of\(e\) == ExprKind::kRows|\(even.*|memcpy.*|s->c_str\(\)|\"\"|static_cast<size_t>.*"
    r"|&rows_.*|find_section\(.*|&t\.sections.*|h\.leaves|\{.*|ert::text::open_tables.*|ert_text_open_tables.*"
    r"|write_struct.*|prepare_all\(p, nullptr, scratch, &unused, macs\).*|value_info.*|status|ert_model_open_signed_in.*|s != nullptr && s->magic.*|ert_model_open_in.*)$", re.S)


def spans(text, start, opening="(", closing=")"):
    """The position behind the bracket that closes the one at `start`. Strings and comments of these files hold no brackets that matter."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == opening:
            depth += 1
        elif text[i] == closing:
            depth -= 1
            if depth == 0:
                return i + 1
    raise ValueError("unbalanced")


def operands(text, begin, end, operator):
    """Spans of the operands of a top-level operator in text[begin:end]."""
    depth, last, out, i = 0, begin, [], begin
    while i < end:
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(operator, i):
            out.append((last, i))
            i += 2
            last = i
            continue
        i += 1
    out.append((last, end))
    return [(b + len(text[b:e]) - len(text[b:e].lstrip()), e - (len(text[b:e]) - len(text[b:e].rstrip()))) for b, e in out]


def top_level(text, begin, end, what):
    return len(operands(text, begin, end, what)) > 1


def blank_comments(text):
    text = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
    return re.sub(r"'.'|\"[^\"\n]*\"", lambda m: "_" * len(m.group()), text)


def refusing(text, begin, end):
    """Operands of a condition that refuses: the parts of its ||, inside brackets and both sides of a ?: too."""
    while text[begin] == "(" and spans(text, begin) == end:
        begin, end = begin + 1, end - 1
    ternary = operands(text, begin, end, " ? ")
    if len(ternary) == 2:
        sides = operands(text, ternary[1][0], ternary[1][1], " : ")
        return [s for side in sides for s in refusing(text, *side)]
    parts = operands(text, begin, end, "||")
    if len(parts) == 1:
        return [(begin, end)]
    return [s for p in parts for s in refusing(text, *p)]


def find_checks(text):
    """(begin, end, deleted value) of every check, in order."""
    blank = blank_comments(text)
    found = []
    for m in re.finditer(r"\bif \(", blank):
        begin = m.end() - 1
        end = spans(blank, begin)
        after = re.match(r"\s*\{?\s*return ([^;]+);", blank[end:])
        if after and REFUSALS.match(after.group(1).strip()):
            found += [(b, e, "false") for b, e in refusing(blank, begin, end)]
    for m in re.finditer(r"\breturn ([^;]+);", blank):
        begin, end = m.start(1), m.end(1)
        answer = re.match(r"(.*) \? ERT_OK : ERT_ERR_\w+$", m.group(1), re.S)
        if answer:
            end = begin + answer.end(1)
        elif NO_CHECK.match(m.group(1)):
            continue
        ternary = operands(blank, begin, end, " ? ")
        sides = [(begin, end)] if len(ternary) == 1 else operands(blank, ternary[1][0], ternary[1][1], " : ")
        for side in sides:
            parts = [side] if top_level(blank, *side, "||") else operands(blank, *side, "&&")
            found += [(b, e, "true") for b, e in parts if not NO_CHECK.match(text[b:e])]
    for m in re.finditer(r"\bbool within = ([^;]+);", blank):
        found += [(b, e, "true") for b, e in operands(blank, m.start(1), m.end(1), "&&")]
    for m in re.finditer(r"&= ([^;~]+);", blank):
        if "==" in m.group(1):
            found.append((m.start(1), m.end(1), "true"))
    return sorted(set(found))


def all_checks():
    """[(key, file, begin, end, value)]; keys stay the same when lines move."""
    rows, seen = [], {}
    for file in FILES:
        text = open(os.path.join(ROOT, file)).read()
        for begin, end, value in find_checks(text):
            key = file + ": " + " ".join(text[begin:end].split())
            seen[key] = seen.get(key, 0) + 1
            rows.append((key if seen[key] == 1 else f"{key} #{seen[key]}", file, begin, end, value))
    return rows


def prepare(rows):
    """The copy of the sources, every check behind a switch, and its tests built."""
    source = os.path.join(WORK, "source")
    for path in COPIED:
        to, origin = os.path.join(source, path), os.path.join(ROOT, path)
        if os.path.isdir(origin):
            subprocess.run(["mkdir", "-p", to], check=True)
            subprocess.run(["cp", "-ru", origin + "/.", to], check=True)
        else:
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(origin, to)
    os.makedirs(os.path.join(source, "bench"), exist_ok=True)
    open(os.path.join(source, "bench", "CMakeLists.txt"), "w").close()
    for file in FILES:
        text = open(os.path.join(ROOT, file)).read()
        for number, (_, _, begin, end, value) in reversed([(n, r) for n, r in enumerate(rows) if r[1] == file]):
            operator = "&& !" if value == "false" else "|| "
            text = f"{text[:begin]}(({text[begin:end]}) {operator}ert_check_deleted({number})){text[end:]}"
        text = "bool ert_check_deleted(int number);\n#line 1\n" + text
        if file == "rt/blob/header.cc":
            text += '\n#include <stdlib.h>\nbool ert_check_deleted(int number) {\n  static const char* const name = getenv("ERT_DELETED_CHECK");\n' \
                    "  static const int deleted = name == nullptr ? -1 : atoi(name);\n  return number == deleted;\n}\n"
        path = os.path.join(source, file)
        if not os.path.exists(path) or open(path).read() != text:
            open(path, "w").write(text)
    build = os.path.join(WORK, "build")
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DERT_BUILD_CONVERTER=OFF", "-DERT_WITH_ZSTD=ON",
                    "-DERT_BUILD_TOGETHER=OFF", "-DERT_INSTALL=OFF", "-DCMAKE_CXX_FLAGS=-Wno-error -w"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", *(t[0].split("/")[-1] for t in TESTS + TEXT_TESTS)], check=True, stdout=subprocess.DEVNULL)
    return build


def noticed(build, number, tests):
    """The test that fails when this check is deleted, or ""."""
    environment = dict(os.environ, ERT_DELETED_CHECK=str(number))
    for program, *arguments in tests:
        try:
            r = subprocess.run([os.path.join(build, program), "--gtest_fail_fast", "--gtest_brief=1", *arguments], env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except subprocess.TimeoutExpired:
            return program + " does not end"
        if r.returncode != 0:
            failed = re.search(rb"\[  FAILED  \] (\S+)", r.stdout)
            return failed.group(1).decode() if failed else f"{program} ends with {r.returncode}"
    return ""


def main():
    rows = all_checks()
    if sys.argv[1:] == ["--list"]:
        print("\n".join(r[0] for r in rows))
        print(len(rows), "checks")
        return 0
    reasons = {}
    for line in open(LIST):
        if line.strip() and not line.startswith("#"):
            key, _, reason = line.rstrip("\n").partition(" | ")
            reasons[key] = reason
    chosen = [r for r in rows if not sys.argv[1:] or r[0] in sys.argv[1:] or r[1] in sys.argv[1:]]
    build = prepare(rows)
    if noticed(build, -1, TESTS + TEXT_TESTS):
        print("the tests fail with nothing deleted:", noticed(build, -1, TESTS + TEXT_TESTS))
        return 1
    bad = found = redundant = 0
    for row in chosen:
        key = row[0]
        by = noticed(build, rows.index(row), TEXT_TESTS if row[1].startswith("rt/text/") else TESTS)
        found += by != ""
        if by and key in reasons:
            print(f"NOTICED, but listed as redundant: {key} ({by})")
            bad += 1
        elif not by and reasons.get(key):
            redundant += 1
        elif not by:
            print("UNNOTICED:", key, flush=True)
            bad += 1
    for key in reasons:
        if key not in [r[0] for r in rows]:
            print("listed, but not there:", key)
            bad += 1
    print(f"{len(chosen)} checks deleted: {found} noticed, {redundant} redundant for a reason, {len(chosen) - found - redundant} unnoticed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
