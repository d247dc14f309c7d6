"""The module of Zephyr in a real tree: twister builds and runs the sample and the test on emulated boards.

ZEPHYR_BASE names the tree (3.3 or newer), ZEPHYR_MODULES its modules if it is in no west workspace (cmsis is needed). The compiler is Debian's
arm-none-eabi-g++, the C library Zephyr's own.
"""
import json
import os
import pathlib
import shutil

BOARDS = (("qemu_cortex_m3", "qemu_cortex_m3/ti_lm3s6965"), ("mps2_an521", "mps2/an521/cpu0"))  # before Zephyr 3.7, and since


def zephyr_module(machine, folder):
    base = machine.given("ZEPHYR_BASE", "a tree of Zephyr")
    machine.need("arm-none-eabi-g++", "qemu-system-arm", "ninja", "dtc", "flatc")
    bin_folder = machine.from_pypi(folder, "west", "pyelftools", "PyYAML", "pykwalify", "packaging", "anytree", "ply", "colorama", "psutil", "tabulate",
                                   "natsort", "jsonschema")
    env = {"ZEPHYR_BASE": str(base), "ZEPHYR_TOOLCHAIN_VARIANT": "gnuarmemb", "PATH": f"{bin_folder}:{os.environ['PATH']}",
           "GNUARMEMB_TOOLCHAIN_PATH": str(pathlib.Path(shutil.which("arm-none-eabi-g++")).resolve().parents[1])}
    boards = ["-p=" + names[(base / "boards/qemu").is_dir()] for names in BOARDS]
    modules = os.environ.get("ZEPHYR_MODULES")
    given = [f"-x=EDGECONV={machine.edgeconv}"] + ([f"-x=ZEPHYR_MODULES={modules}"] if modules else [])
    module = machine.source / "toolchains/package/zephyr"
    machine.run(bin_folder / "python3", base / "scripts/zephyr_module.py", "--modules", module, "--kconfig-out", folder / "Kconfig",
                "--cmake-out", folder / "modules.txt", cwd=folder, env=env)
    assert '"ert"' in (folder / "modules.txt").read_text(), "module.yml is not what zephyr_module.py reads"
    machine.run(bin_folder / "python3", base / "scripts/twister", "-T", module / "tests", "-T", machine.source / "rt/example/zephyr", *boards, *given,
                "-O", folder / "out", "-j", "2", "--inline-logs", cwd=folder, env=env)
    ran = {(suite["name"].rpartition("/")[2], suite["platform"]): suite for suite in json.loads((folder / "out/twister.json").read_text())["testsuites"]}
    passed = sorted(f"{name} on {board}" for (name, board), suite in ran.items() if suite["status"] == "passed")
    assert len(passed) == 3, f"{passed} of {sorted(ran)}"  # the language model needs more flash than the M3 has
    version = dict(line.split(" = ", 1) for line in (base / "VERSION").read_text().splitlines() if " = " in line)
    return f"Zephyr {version['VERSION_MAJOR']}.{version['VERSION_MINOR']}: {', '.join(passed)}"

