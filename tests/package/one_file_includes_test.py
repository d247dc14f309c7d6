#!/usr/bin/env python3
"""Every include that the one file makes on a target is one that the target has. one_file_includes_test.py SOURCE COMPILER...

The host's preprocessor reads it with the target's macros alone and a folder of empty headers, those that the target has: any other ends it. So an include that lost
the condition it stood behind is found without a cross compiler.
"""
import pathlib
import subprocess
import sys
import tempfile

# What compilers and their C and C++ libraries have on bare metal too; <stdlib.h> and <assert.h> among them.
EVERYWHERE = ("algorithm array assert.h cstddef cstdint cstdlib cstring functional initializer_list iterator limits memory new optional set stddef.h stdint.h stdlib.h "
              "string string.h string_view type_traits utility vector")
UNIX = EVERYWHERE + " atomic errno.h fcntl.h malloc.h pthread.h sys/mman.h sys/resource.h sys/stat.h time.h unistd.h"
LINUX_ARM = UNIX + " sys/auxv.h"
X86 = " cpuid.h immintrin.h nmmintrin.h smmintrin.h xmmintrin.h"
GNU = "-D__GNUC__=12 -D__CHAR_BIT__=8 -D__SIZEOF_POINTER__=8"
LINUX = GNU + " -D__linux__ -D__unix__ -D__GLIBC__=2"
M = GNU + " -D__arm__ -D__ARM_ARCH=7 -D__ARM_ARCH_PROFILE='M'"
# name: macros of its compiler, headers that it has
TARGETS = {
    "x86-64 Linux": (LINUX + " -D__x86_64__", UNIX + X86),
    "x86-64 without an operating system": (GNU + " -D__x86_64__", EVERYWHERE + X86),
    "AArch64 Linux": (LINUX + " -D__aarch64__ -D__ARM_NEON -D__ARM_ARCH=8 -D__ARM_ARCH_PROFILE='A'", LINUX_ARM + " arm_neon.h arm_acle.h"),
    "ARMv7 Linux": (LINUX + " -D__arm__ -D__ARM_ARCH=7 -D__ARM_ARCH_PROFILE='A'", LINUX_ARM + " arm_neon.h"),
    "RISC-V Linux": (LINUX + " -D__riscv", UNIX),
    "Cortex-M4": (M + " -D__ARM_FEATURE_SIMD32", EVERYWHERE + " arm_acle.h"),
    "Cortex-M3": (M, EVERYWHERE),
}


def refused(preprocessor, text, stubs, name):
    """What the target's preprocessor says of the text: nothing, or the include that is not there."""
    macros, headers = TARGETS[name]
    folder = stubs / name.replace(" ", "_")
    for header in headers.split():
        (folder / header).parent.mkdir(parents=True, exist_ok=True)
        (folder / header).touch()
    done = subprocess.run([*preprocessor, "-x", "c++", "-std=c++17", "-E", "-w", "-undef", "-nostdinc", "-nostdinc++", "-isystem", folder, *macros.split(), text,
                           "-o", "/dev/null"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main(source, *preprocessor):
    program = pathlib.Path(source) / "toolchains/package/amalgamate"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, program, "-o", folder], check=True)
        for target in TARGETS:
            said = refused(preprocessor, folder / "ert.cc", folder / "stubs", target)
            assert not said, f"{target}: {said[:1000]}"
        # It must be able to fail: intrinsics where every target sees them.
        text = (folder / "ert.cc").read_text()
        (folder / "ert.cc").write_text(text.replace("#include <stddef.h>\n", "#include <immintrin.h>\n", 1))
        for target in ("AArch64 Linux", "Cortex-M4"):
            assert "immintrin.h" in refused(preprocessor, folder / "ert.cc", folder / "stubs", target), "a lost condition was not noticed"


if __name__ == "__main__":
    main(*sys.argv[1:])
