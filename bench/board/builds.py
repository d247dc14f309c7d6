"""ert-bench for a machine, and the blob to measure: built and converted here."""
import os
import pathlib
import platform
import shutil
import subprocess

from machines import FAILED, FILE, UNSUPPORTED, Trouble

# uname -m: preset, compiler, Debian's package of it. A 32-bit system under a 64-bit kernel runs static 64-bit programs too.
CROSS = {"aarch64": ("cross-aarch64", "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"),
         "armv7l": ("cross-armv7", "arm-linux-gnueabihf-g++", "g++-arm-linux-gnueabihf"),
         "riscv64": ("cross-riscv64", "riscv64-linux-gnu-g++", "g++-riscv64-linux-gnu")}
# The runtime and ert-bench, without the libraries of converter and tests; code where it stands, as in the builds that tables are of.
BENCH_ALONE = ("-DERT_DEVELOPER=OFF", "-DERT_BUILD_TOOLS=ON", "-DERT_BUILD_CONVERTER=OFF", "-DERT_PIC=OFF")
PACKAGES = "cmake (3.22), ninja-build, g++, flatbuffers-compiler, libflatbuffers-dev, libcli11-dev, nlohmann-json3-dev"
SAME = {"arm64": "aarch64", "armv8l": "armv7l", "amd64": "x86_64"}


def step(what, command, root, advice=""):
    print(f"{what}: {' '.join(map(str, command))}", flush=True)
    done = subprocess.run([str(part) for part in command], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(FAILED, f"{what} failed with {done.returncode}:\n{done.stdout[-2000:]}{advice}")


def need(program, package, why):
    if not shutil.which(program):
        raise Trouble(UNSUPPORTED, f"no {program} to {why}: install {package} (Debian's name), or set ERT_BENCH to an ert-bench for the board")


def configured(root, architecture, local):
    """The folder to build in, and the arguments of cmake."""
    native = SAME.get(platform.machine(), platform.machine())
    folder = root / "build" / ("board-local" if local else f"board-{architecture}")
    settings = ["-B", folder, *BENCH_ALONE]
    if local:
        return folder, ["--preset", "release", *settings]
    if architecture == native:
        # Static, so that no library of the board matters, as the cross builds are.
        return folder, ["--preset", "release", *settings, "-DCMAKE_EXE_LINKER_FLAGS=-static"]
    if architecture not in CROSS:
        raise Trouble(UNSUPPORTED, f"the board is {architecture}, which no preset builds for; known: {', '.join(sorted({*CROSS, native}))}. "
                                   "Build ert-bench with your own toolchain file (toolchains/README.md) and set ERT_BENCH to it")
    preset, compiler, package = CROSS[architecture]
    need(compiler, package, f"build for {architecture}")
    return folder, ["--preset", preset, *settings]


def bench_program(root, architecture, local):
    """ert-bench for the architecture; ERT_BENCH names one that is there."""
    if os.environ.get("ERT_BENCH"):
        program = pathlib.Path(os.environ["ERT_BENCH"])
        if not program.is_file():
            raise Trouble(FILE, f"ERT_BENCH: there is no {program}")
        return program
    folder, arguments = configured(root, SAME.get(architecture, architecture), local)
    need("cmake", "cmake", "build")
    need("ninja", "ninja-build", "build")
    step("configure", ["cmake", *arguments], root, f"\nIt takes these packages of Debian, or what they have: {PACKAGES}; or set ERT_BENCH to an ert-bench for the board")
    step("build", ["cmake", "--build", folder, "--target", "ert-bench"], root)
    if local:  # what bench/compare finds whole cores by, where it can be built
        subprocess.run(["cmake", "--build", folder, "--target", "core_probe"], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        os.environ.setdefault("CORE_PROBE", str(folder / "bench/kernels/core_probe"))
    return folder / "bench/ert-bench"


def blob_of(root, model):
    """The blob of a model: itself, or what the converter makes of an ONNX file without options."""
    if not model.is_file():
        raise Trouble(FILE, f"there is no {model}: --model names a .ert or an .onnx; bench/models/minilm.sh makes minilm.onnx")
    if model.suffix != ".onnx":
        return model
    converter = pathlib.Path(os.environ.get("EDGECONV") or root / "build/release/convert/edgeconv")
    if not converter.is_file():
        raise Trouble(FILE, f"{model.name} must be converted, and there is no {converter}: cmake --preset release && cmake --build --preset release --target edgeconv; or give a .ert")
    blob = root / "build/board" / f"{model.stem}.ert"
    blob.parent.mkdir(parents=True, exist_ok=True)
    step("convert", [converter, model, "-o", blob, "--force", "-q", "--progress", "off"], root)
    return blob
