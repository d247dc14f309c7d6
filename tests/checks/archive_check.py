#!/usr/bin/env python3
"""What the runtime's archives may not contain: calls to the heap, exceptions or stdio, and writable globals.

usage: archive_check.py ARCHIVE...            exit 0 if clean
       archive_check.py --expect-dirty OBJ    exit 0 if every rule finds its fault in OBJ (the canary)
"""
import re
import subprocess
import sys

FORBIDDEN = {
    "heap": re.compile(r"^(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|memalign|_Znw|_Zna|_Zdl|_Zda)"),
    "exceptions": re.compile(r"^(__cxa_throw|__cxa_allocate_exception|__cxa_begin_catch|__gxx_personality|_Unwind_|_ZSt\d+__throw)"),
    "stdio": re.compile(r"^(printf|fprintf|sprintf|snprintf|vsnprintf|puts|fputs|fwrite|fopen|putchar|stdout|stderr|__printf_chk|__fprintf_chk|_ZNSo|_ZSt4cout)"),
    "static guards": re.compile(r"^(__cxa_guard_|__cxa_atexit|atexit)"),
    "assert": re.compile(r"^(__assert_fail|abort|exit)"),
}


def undefined_symbols(path):
    out = subprocess.run(["nm", "--undefined-only", "-P", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in out.splitlines() if len(line.split()) >= 2}


def writable_bytes(path):
    """Bytes of .data, .bss, .tdata, .tbss and constructors; .data.rel.ro holds relocated constants only."""
    out = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+(\S+)\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if not m or int(m.group(3), 16) == 0:
            continue
        name = m.group(1)
        if name.startswith(".rel"):
            continue
        if re.match(r"\.(data(?!\.rel\.ro)|bss|tdata|tbss|init_array|ctors)(\.|$)", name):
            found[name] = found.get(name, 0) + int(m.group(3), 16)
    return found


def faults(path):
    found = {}
    for rule, pattern in FORBIDDEN.items():
        hits = sorted(s for s in undefined_symbols(path) if pattern.match(s))
        if hits:
            found[rule] = hits
    sections = writable_bytes(path)
    if sections:
        found["writable globals"] = sections
    return found


def main(args):
    if args[:1] == ["--expect-dirty"]:
        found = faults(args[1])
        missing = (set(FORBIDDEN) | {"writable globals"}) - set(found)
        for rule in sorted(missing):
            print(f"the check is blind: '{rule}' was not found in the canary")
        return 1 if missing else 0
    bad = 0
    for path in args:
        for rule, hits in faults(path).items():
            print(f"{path}: {rule}: {hits}")
            bad = 1
    return bad if args else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
