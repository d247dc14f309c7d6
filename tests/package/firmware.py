"""Trees for the tools of firmware: each is made, held to the tool's own schema, and compiled as the tool would compile it."""
import json
import os
import re
import shutil
import zipfile

from machine import NotHere

# A core of Arduino as far as a sketch sees it.
ARDUINO_H = """#pragma once
#include <cstdint>
#include <cstdio>
struct Port {
  void begin(long) {}
  explicit operator bool() const { return true; }
  void println(const char* text) { std::puts(text); }
};
[[maybe_unused]] static Port Serial;
void setup();
void loop();
"""
PLATFORMIO = """import sys
from platformio.package.manifest import schema
from platformio.package.manifest.parser import ManifestParserFactory
schema.ManifestSchema.load_spdx_licenses = staticmethod(lambda: {"licenses": [{"licenseId": "Apache-2.0"}]})  # it asks the web for the list
for path in sys.argv[1:]:
    data = ManifestParserFactory.new_from_file(path).as_dict()
    schema.ManifestSchema().load_manifest(data)
    print(data["name"], data["version"])
"""


def version(machine):
    return re.search(r'kVersion = "([0-9.]+)"', (machine.source / "convert/blob/version.h").read_text()).group(1)


def tree(machine, folder, kind, *options):
    machine.run(machine.source / "toolchains/package/firmware_tree", kind, "-o", folder / kind, *options)
    return folder / kind


def exported(machine, folder):
    machine.run(machine.edgeconv, "export", machine.blob, "--format", "c", "-o", folder / "model.c", "--header", folder / "model.h", "--force")


def arduino(machine, folder):
    """PlatformIO reads both descriptions; cores' compilers take the source; the sketch runs with a .c of the model that is compiled as C++."""
    machine.need("flatc", "g++")
    library = tree(machine, folder, "arduino", "--ops", machine.op_list)
    properties = dict(line.split("=", 1) for line in (library / "library.properties").read_text().splitlines())
    assert properties["version"] == version(machine) == json.loads((library / "library.json").read_text())["version"]
    assert set(properties) >= {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"}
    sketch = library / "examples/selftest"
    exported(machine, sketch)
    (folder / "Arduino.h").write_text(ARDUINO_H)
    (folder / "main.cpp").write_text('#include "Arduino.h"\nint main() { setup(); }\n')
    machine.run("g++", "-std=gnu++17", "-O1", "-Wall", "-Wextra", "-Werror", "-include", folder / "Arduino.h", "-I", library / "src", "-x", "c++",
                sketch / "selftest.ino", sketch / "model.c", library / "src/ert.cpp", folder / "main.cpp", "-o", folder / "sketch")
    said = machine.run(folder / "sketch")
    assert said.startswith("OK"), said
    tried = []
    for command in ("arm-none-eabi-g++ -mcpu=cortex-m0plus -mthumb", "arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
                    "riscv64-linux-gnu-g++"):
        words = command.split()
        if shutil.which(words[0]):
            machine.run(*words, "-std=gnu++17", "-Os", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wall", "-Wextra", "-Werror", "-c",
                        library / "src/ert.cpp", "-o", folder / "ert.o")
            tried.append(words[1][6:] if len(words) > 1 else "riscv64")
    bin_folder = machine.from_pypi(folder, "platformio")
    said = machine.run(bin_folder / "python", "-c", PLATFORMIO, library / "library.json", library / "library.properties",
                       env={"PLATFORMIO_CORE_DIR": str(folder / "core"), "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no"})
    assert said == f"ert {version(machine)}\n" * 2, said
    return f"descriptions as PlatformIO reads them; compiled for {', '.join(tried)}; not built by PlatformIO or arduino-cli, whose cores are no packages"


# What ESP-IDF's project.cmake gives a component, as far as this one uses it.
IDF_PROJECT = """cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES C CXX)
function(idf_build_get_property variable name)
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(${variable} ${Python3_EXECUTABLE} PARENT_SCOPE)
endfunction()
macro(idf_component_register)
  cmake_parse_arguments(component "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  set(COMPONENT_LIB __idf_ert)
  add_library(${COMPONENT_LIB} STATIC ${component_SRCS})
  target_include_directories(${COMPONENT_LIB} PUBLIC ${component_INCLUDE_DIRS})
endmacro()
set(ERT_OPS_FILE %s)
add_subdirectory(%s ert)
add_executable(app main.c)
target_link_libraries(app PRIVATE __idf_ert m)
"""


IDF_APP = """cmake_minimum_required(VERSION 3.16)
set(EXTRA_COMPONENT_DIRS %s)
set(ERT_OPS_FILE %s)
set(COMPONENTS main)
include($ENV{IDF_PATH}/tools/cmake/project.cmake)
project(app)
"""
IDF_MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "ert.h"
#include "model.h"
static ert_model model;
static ert_context context;
_Alignas(ERT_ARENA_ALIGN) static uint8_t arena[MODEL_ARENA_BYTES];
void app_main(void) {
  ert_region region = {arena, sizeof arena};
  ert_status status = ert_model_open_in(&model, model_blob, MODEL_BYTES, arena, sizeof arena);
  if (status == ERT_OK) status = ert_context_init(&context, &model, NULL, NULL, &region, 1);
  if (status == ERT_OK) status = ert_selftest(&context);
  printf("ert: %s\\n", ert_status_str(status));
  exit(0);
}
"""


def by_esp_idf(machine, folder, bin_folder):
    """ESP-IDF itself (IDF_PATH) builds an application with the component for its target linux, whose compiler is the host's, and that runs."""
    base = machine.given("IDF_PATH", "a tree of ESP-IDF")
    component = machine.source / "toolchains/package/esp-idf"
    main = folder / "app/main"
    main.mkdir(parents=True)
    (folder / "app/CMakeLists.txt").write_text(IDF_APP % (component, machine.op_list))
    (main / "CMakeLists.txt").write_text("idf_component_register(SRCS main.c model.c INCLUDE_DIRS . REQUIRES esp-idf)\n")
    (main / "main.c").write_text(IDF_MAIN)
    exported(machine, main)
    parts = dict(re.findall(r"set\(IDF_VERSION_(\w+) (\d+)\)", (base / "tools/cmake/version.cmake").read_text()))
    number = f"{parts['MAJOR']}.{parts['MINOR']}"
    env = {"IDF_PATH": str(base), "ESP_IDF_VERSION": number, "IDF_PYTHON_ENV_PATH": str(bin_folder.parent), "IDF_COMPONENT_MANAGER": "0",
           "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    machine.run("cmake", "-G", "Ninja", "-S", folder / "app", "-B", folder / "app/build", "-DIDF_TARGET=linux", "-DPYTHON_DEPS_CHECKED=1", env=env)
    machine.run("ninja", "-C", folder / "app/build", "-j2", env=env)
    said = machine.run(folder / "app/build/app.elf")
    assert "ert: OK" in said, said
    return f"built by ESP-IDF {number} for its target linux, and run"


def esp_idf(machine, folder):
    """compote packs it, as for the registry of components; the component's own CMake builds in the checkout and as a folder alone."""
    machine.need("flatc")
    component = tree(machine, folder, "esp-idf", "--ops", machine.op_list)
    assert f'version: "{version(machine)}"' in (component / "idf_component.yml").read_text()
    for name, place, ops in (("checkout", machine.source / "toolchains/package/esp-idf", machine.op_list), ("alone", component, "")):
        project = folder / name
        project.mkdir()
        (project / "CMakeLists.txt").write_text(IDF_PROJECT % (ops, place))
        shutil.copy(machine.source / "rt/example/minimal/main.c", project)
        machine.run("cmake", "-S", project, "-B", project / "build")
        machine.run("cmake", "--build", project / "build", "-j2")
        assert machine.run(project / "build/app", machine.blob) == machine.answer, f"{name}: another answer"
    bin_folder = machine.from_pypi(folder, "idf-component-manager", "esp-idf-kconfig")
    machine.run(bin_folder / "compote", "component", "pack", "--name", "ert", "--dest-dir", folder / "packed", cwd=component,
                env={"IDF_COMPONENT_CACHE_PATH": str(folder / "cache"), "HOME": str(folder)})
    packed = folder / f"packed/ert_{version(machine)}.tgz"
    files = machine.run("tar", "-tf", packed).split()
    assert {"ert.cc", "ert.h", "ert_text.h", "CMakeLists.txt", "idf_component.yml"} <= {name.removeprefix("./") for name in files}, files
    try:
        return "packed by compote; " + by_esp_idf(machine, folder, bin_folder)
    except NotHere as reason:
        return f"packed by compote; built by its CMakeLists.txt with the host's compiler, not by ESP-IDF ({reason})"


def cmsis_pack(machine, folder):
    """All files of the description are in the pack, twice the same bytes; CMSIS_PACK_XSD names the schema of Open-CMSIS-Pack-Spec."""
    machine.need("flatc")
    first, second = tree(machine, folder, "cmsis-pack"), tree(machine, folder / "again", "cmsis-pack")
    name = f"edgeconv.ert.{version(machine)}.pack"
    assert (folder / name).read_bytes() == (folder / "again" / name).read_bytes(), "made twice, two packs"
    description = (first / "edgeconv.ert.pdsc").read_text()
    assert f'<release version="{version(machine)}">' in description and f'Cversion="{version(machine)}"' in description
    with zipfile.ZipFile(folder / name) as archive:
        names = set(archive.namelist())
        for path in re.findall(r'<file [^>]*name="([^"]+)"', description) + [re.search(r"<license>(.*)</license>", description).group(1)]:
            assert path in names or any(other.startswith(path) for other in names if path.endswith("/")), f"no {path} in the pack"
    if shutil.which("arm-none-eabi-g++"):
        machine.run("arm-none-eabi-g++", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-std=gnu++17", "-Os", "-fno-exceptions", "-fno-rtti",
                    "-fno-threadsafe-statics", "-I", first / "include", "-c", first / "src/ert.cpp", "-o", folder / "ert.o")
    schema = machine.given("CMSIS_PACK_XSD", "PACK.xsd of Open-CMSIS-Pack-Spec")
    bin_folder = machine.from_pypi(folder, "lxml")
    machine.run(bin_folder / "python", "-c", "import sys; from lxml import etree; "
                "etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))", schema, first / "edgeconv.ert.pdsc")
    return f"{os.path.getsize(folder / name) // 1000} kB, valid; not installed by a tool"


FIRMWARE = (arduino, esp_idf, cmsis_pack)
