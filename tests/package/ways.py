"""The ways into another project, by name; each function takes the machine and an empty folder and raises if the way does not work."""
import functools
import os
import platform
import re
import subprocess

from debian import DEBIAN
from distributions import DISTRIBUTIONS
from examples import EXAMPLES, TEXTS, languages
from first_answer import first_answer
from firmware import FIRMWARE
from machine import NotHere
from packages import source_package
from updates import UPDATES
from zephyr import zephyr_module

MAIN = "rt/example/minimal/main.c"


def program(machine, folder, lists, **options):
    """Builds the project of CMakeLists.txt `lists` beside the minimal program, and demands the installed library's answer."""
    (folder / "CMakeLists.txt").write_text(lists)
    (folder / "main.c").write_text((machine.source / MAIN).read_text())
    given = [f"-D{name}={value}" for name, value in options.items()]
    machine.run("cmake", "-S", folder, "-B", folder / "build", *given)
    machine.run("cmake", "--build", folder / "build", "-j2")
    said = machine.run(folder / "build/app", machine.blob)
    assert said == machine.answer, f"another answer: {said}"


def found_package(machine, folder):
    program(machine, folder, "cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES C)\nfind_package(ert 0.2 CONFIG REQUIRED)\n"
            "add_executable(app main.c)\ntarget_link_libraries(app ert::ert ert::platform_posix)\n", CMAKE_PREFIX_PATH=machine.prefix)


def declared_functions(machine):
    """Names of the functions of ert.h and ert_text.h."""
    text = "".join(re.sub(r"/\*.*?\*/", "", (machine.prefix / "include" / name).read_text(), flags=re.S) for name in ("ert.h", "ert_text.h"))
    found = set(re.findall(r"^[A-Za-z_][\w *]*?\b(ert_\w+)\(", text, re.M))
    assert {"ert_run", "ert_text_run"} <= found
    return found


def shared_library(machine, folder):
    program(machine, folder, "cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES C)\nfind_package(ert CONFIG REQUIRED)\n"
            "add_executable(app main.c)\ntarget_link_libraries(app ert::shared)\n", CMAKE_PREFIX_PATH=machine.prefix)
    symbols = machine.run("nm", "-D", "--defined-only", machine.prefix / "lib/libert.so")
    names = [line.split()[-1].split("@")[0] for line in symbols.splitlines()]
    foreign = [name for name in names if not name.startswith(("ert_", "ERT_"))]
    assert not foreign, f"libert.so exports {foreign}"
    missing = declared_functions(machine) - set(names) - {"ert_unpack", "ert_model_open_signed"}  # of other builds
    assert not missing, f"declared in the headers, but not exported by libert.so: {sorted(missing)}"
    needed = machine.run("readelf", "-d", machine.prefix / "lib/libert.so")
    assert "libstdc++" not in needed, "libert.so needs a C++ library"
    return f"{len(names)} symbols"


def linked_ops(machine, folder):
    """Only the model's ops, from the installed archive and in a project without C++; a list without one of them refuses the blob."""
    lists = ("cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES C)\nfind_package(ert CONFIG REQUIRED)\nadd_executable(app main.c)\n"
             "target_link_libraries(app ert::ert)\nert_link_only_ops(app ${CMAKE_CURRENT_SOURCE_DIR}/ops.inc)\n")
    (folder / "ops.inc").write_text(machine.op_list.read_text())
    program(machine, folder, lists, CMAKE_PREFIX_PATH=machine.prefix)
    few = os.path.getsize(folder / "build/app")
    rows = [line for line in machine.op_list.read_text().splitlines() if line.startswith("ERT_OP")]
    (folder / "ops.inc").write_text("\n".join(rows[:-1]) + "\n")
    machine.run("cmake", "--build", folder / "build")
    said = machine.run(folder / "build/app", machine.blob, fails=True)
    assert "UNSUPPORTED" in said, said
    return f"{few} bytes"


def pkg_config(machine, folder):
    machine.need("pkg-config", "cc")
    env = {"PKG_CONFIG_PATH": str(machine.prefix / "lib/pkgconfig")}
    flags = machine.run("pkg-config", "--cflags", "ert", env=env).split()
    libraries = machine.run("pkg-config", "--libs", "--static", "ert", env=env).split()
    machine.run("cc", *flags, machine.source / MAIN, "-o", folder / "app", *libraries, "-Wl,-rpath," + str(machine.prefix / "lib"))
    assert machine.run(folder / "app", machine.blob) == machine.answer


SUBPROJECT = ("cmake_minimum_required(VERSION 3.22)\nproject(app LANGUAGES C)\nset(before \"${CMAKE_C_FLAGS}|${CMAKE_CXX_FLAGS}|${CMAKE_BUILD_TYPE}\")\n"
              "%s\nif(NOT before STREQUAL \"${CMAKE_C_FLAGS}|${CMAKE_CXX_FLAGS}|${CMAKE_BUILD_TYPE}\")\n  message(FATAL_ERROR \"changed flags\")\nendif()\n"
              "add_executable(app main.c)\ntarget_link_libraries(app PRIVATE ert::ert ert::platform_posix)\n"
              "ert_link_only_ops(app ${CMAKE_CURRENT_SOURCE_DIR}/ops.inc)\n")


def entries(cache):
    """Names in the text of a CMakeCache.txt that users and projects set and read; INTERNAL and STATIC are of CMake's modules."""
    return {name for name, kind in re.findall(r"^([A-Za-z][\w.-]*):([A-Z]+)=", cache, re.M) if kind not in ("INTERNAL", "STATIC")}


def subproject(machine, folder, how):
    (folder / "ops.inc").write_text(machine.op_list.read_text())
    program(machine, folder, SUBPROJECT % how)
    cache = (folder / "build/CMakeCache.txt").read_text()
    assert "CMAKE_BUILD_TYPE:STRING=\n" in cache, "the parent's build type was changed"
    (folder / "bare").mkdir()
    (folder / "bare/CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.22)\nproject(app LANGUAGES C CXX)\n")
    machine.run("cmake", "-S", folder / "bare", "-B", folder / "bare/build")
    foreign = entries(cache) - entries((folder / "bare/build/CMakeCache.txt").read_text())
    foreign = {name for name in foreign if not name.startswith(("ERT_", "EDGECONV_", "FETCHCONTENT_"))}
    assert not foreign, f"the parent's cache was given {sorted(foreign)}"
    for program_name in ("edgeconv", "ert-bench", "rt_linked_ops_test"):
        assert not list((folder / "build").rglob(program_name)), f"{program_name} was built unasked"


def add_subdirectory(machine, folder):
    subproject(machine, folder, f"add_subdirectory({machine.source} ert)")


def fetch_content(machine, folder):
    subproject(machine, folder, f"set(CMAKE_UNITY_BUILD ON)  # the parent's own\ninclude(FetchContent)\nFetchContent_Declare(ert SOURCE_DIR {machine.source})\nFetchContent_MakeAvailable(ert)")


def missing_flatc(machine, folder):
    """A checkout without flatc is told the package, by name; and so without the headers. (An empty entry of the cache is not searched again.)"""
    for missing, package in (("ERT_FLATC", "flatbuffers-compiler"), ("ERT_FLATBUFFERS_INCLUDE", "libflatbuffers-dev")):
        said = machine.run("cmake", "-S", machine.source, "-B", folder / missing, "-DERT_DEVELOPER=OFF", "-DERT_BUILD_CONVERTER=OFF",
                           f"-D{missing}=", fails=True)
        assert f"apt install {package}" in said, said


def amalgamated(machine, folder, *options):
    machine.run(machine.source / "toolchains/package/amalgamate", "-o", folder, *options)


def one_file(machine, folder):
    """A compiler and no flag: the same answer, the same digest of texts on every level, no warning; -ffast-math is refused."""
    amalgamated(machine, folder)
    said = machine.run("sh", "-c", "g++ -O2 -Wall -Wextra -c ert.cc 2>&1", cwd=folder)
    assert said == "", said
    machine.run("g++", "-O2", "-I.", "ert.o", machine.source / MAIN, "-o", "app", cwd=folder)
    assert machine.run(folder / "app", machine.blob) == machine.answer, "another answer"
    for flag in ("-ffast-math", "-funsafe-math-optimizations", "-ffinite-math-only", "-freciprocal-math"):
        refused = machine.run("g++", "-O2", flag, "-fsyntax-only", "ert.cc", cwd=folder, fails=True)
        assert "fast-math" in refused, refused
    return digests(machine, folder)


def digests(machine, folder):
    """tests/digest on the one file and on the installed archive: one number for 200 texts, on each level that this CPU has."""
    source = machine.source
    parts = [source / "tests/digest/main.c", source / "tests/digest/digest.c", source / "tests/digest/options.c"]
    for name, library in (("one", folder / "ert.o"), ("archive", machine.prefix / "lib/libert.a")):
        machine.run("gcc", "-O2", "-std=gnu99", f"-I{source}", *parts, library, "-lm", "-lstdc++", "-pthread", "-o", folder / f"digest_{name}")
    seen = {}
    levels = re.findall(r"^ERT_ISA_LEVEL\(k\w+, \w+, (\w+),", (source / "kernels_int8/contract/isa_levels.inc").read_text(), re.M)
    for name in ("one", "archive"):
        for level in levels:
            try:
                said = machine.run(folder / f"digest_{name}", "--isa", level, "--texts", "200", source / "tests/models/langid/texts.tsv", machine.blob)
            except subprocess.CalledProcessError:  # a level that this CPU lacks is refused
                continue
            seen[name, level] = said.split()[0]
    ran = {name: sorted(level for n, level in seen if n == name) for name in ("one", "archive")}
    assert ran["one"] == ran["archive"] and "ref" in ran["one"], f"levels: {ran}"
    assert len(set(seen.values())) == 1, f"digests: {seen}"
    return f"digest {next(iter(seen.values()))} on {', '.join(ran['one'])}"


def few_ops(machine, folder):
    """Only the blob's ops and one level: smaller, the same answer."""
    amalgamated(machine, folder, "--ops", machine.op_list, "--levels", "avx2" if platform.machine() == "x86_64" else "neon")
    machine.run("g++", "-Os", "-I.", "-Wall", "-Wextra", "-Werror", "ert.cc", machine.source / MAIN, "-o", "app", cwd=folder)
    assert machine.run(folder / "app", machine.blob) == machine.answer, "another answer"
    return f"{os.path.getsize(folder / 'app')} bytes"


def other_compilers(machine, folder):
    """The one file for the other architectures, where their compilers are: it compiles without a warning."""
    amalgamated(machine, folder)
    tried = []
    for command in ("clang++ -std=c++17", "aarch64-linux-gnu-g++", "arm-linux-gnueabihf-g++", "riscv64-linux-gnu-g++",
                    "arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -fno-exceptions",
                    "arm-none-eabi-g++ -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -fno-exceptions"):
        words = command.split()
        if machine.run("sh", "-c", f"command -v {words[0]} || true"):
            machine.run(*words, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "ert.cc", cwd=folder)
            tried.append(words[0] + (" " + words[1][6:] if "eabi-" in words[0] else ""))
    if not tried:
        raise NotHere("no compiler of another architecture")
    return ", ".join(tried)


TEN_LINES = """import sys
import edgeconv as ert
ert.convert(sys.argv[1] + "/langid.onnx", "langid.ert", tokenizer=sys.argv[1])
model = ert.Model("langid.ert")
answer = model.answer("Guten Morgen, wie geht es Ihnen?", top=1)
print(answer["labels"][0]["label"])
logits = ert.InferenceSession("langid.ert").run(None, {"input_ids": [[5, 6, 7]], "attention_mask": [[1, 1, 1]]})[0]
assert logits.shape == (1, 40)
"""


@functools.cache
def installed_package(machine):
    """A fresh environment with `pip install .`, and the CPU seconds that took: (folder, seconds)."""
    machine.need("python3")
    folder = machine.root / "environment"
    if subprocess.run(["python3", "-m", "venv", folder], capture_output=True).returncode != 0:
        raise NotHere("python3 has no venv (Debian: python3-venv)")
    pip, interpreter = folder / "bin/pip", folder / "bin/python"
    if subprocess.run([pip, "download", "-q", "--no-deps", "-d", folder, "nanobind"], capture_output=True).returncode != 0:
        raise NotHere("pip finds no package index")
    if not os.path.exists(machine.run(interpreter, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])").strip() + "/Python.h"):
        raise NotHere("no Python.h (Debian: python3-dev)")
    begin = os.times().children_user
    machine.run(pip, "install", "-q", machine.source)
    return folder, os.times().children_user - begin


def python(machine, folder):
    """`pip install .` into a fresh environment, ten lines of a new user, and the module's own tests outside of the checkout."""
    environment, seconds = installed_package(machine)
    interpreter = environment / "bin/python"
    (folder / "ten.py").write_text(TEN_LINES)
    said = machine.run(interpreter, "ten.py", machine.source / "tests/models/langid", cwd=folder)
    assert said == "de German\n", said
    machine.run(interpreter, machine.source / "tests/python/python_test.py", machine.source, cwd=folder)
    said = machine.run(interpreter, machine.source / "rt/example/python/langid.py", machine.text_blob, *TEXTS, cwd=folder)
    assert said == languages(machine), said
    for command in ("edgeconv", "ert-bench"):
        machine.run(environment / "bin" / command, "--version")
    return f"built in {seconds:.0f} CPU seconds"


def ray_data(machine, folder):
    """The corpus example on Ray Data: workers of two instruction sets, one killed; on pandas and Dask too; all the same bits."""
    environment, _ = installed_package(machine)
    machine.run(environment / "bin/pip", "install", "-q", "-r", machine.source / "python/example/requirements.txt")
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\nsat\na\ndog\n")
    model = machine.source / "tests/fixtures/minilm_sentence_ts14/model.onnx"
    machine.run(machine.edgeconv, model, "--tokenizer", folder / "vocab.txt", "--task", "embed", "--pooling", "mean", "-o", folder / "embed.ert", "--quiet")
    said = machine.run(environment / "bin/python", machine.source / "tests/python/corpus_test.py", machine.source / "python/example", folder / "embed.ert", cwd=folder)
    return "4000 texts, pandas and Dask; " + (said.strip() or "Ray not run: this CPU has the level ref alone")


CONSUMERS = {f.__name__.replace("_", "-"): f for f in
             (first_answer, found_package, shared_library, linked_ops, pkg_config, add_subdirectory, fetch_content, missing_flatc, one_file,
              few_ops, other_compilers, source_package, python, ray_data, *EXAMPLES, zephyr_module, *FIRMWARE, *DISTRIBUTIONS,
              *UPDATES)} | DEBIAN
