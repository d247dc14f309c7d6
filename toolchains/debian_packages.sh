# Sourced by quickstart.sh and test.sh: installs what is missing on Debian and Ubuntu, and names it on other systems.

# What the build of converter, runtime and benchmarks needs; what the tests need on top.
BUILD_PACKAGES="cmake ninja-build g++ protobuf-compiler libprotobuf-dev flatbuffers-compiler libflatbuffers-dev libopenblas-dev libzstd-dev libsodium-dev zlib1g-dev libcli11-dev libfmt-dev nlohmann-json3-dev"
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev libonnx-testdata python3 binutils"
# Cortex-M: compiler and emulator; of newlib and libstdc++ only headers are used.
CORTEX_M_PACKAGES="gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm"
# What ./test.sh --cross needs: compilers, emulators, GoogleTest as source, core models.
CROSS_PACKAGES="g++-aarch64-linux-gnu g++-arm-linux-gnueabihf g++-riscv64-linux-gnu qemu-user googletest llvm-19 $CORTEX_M_PACKAGES"

# What ./test.sh --package makes packages of Debian with, and tries them in; Rust is there for an example.
PACKAGE_PACKAGES="dpkg-dev file mmdebstrap pkg-config cargo rustc"

# What ./test.sh --manners opens reports with.
BROWSER_PACKAGES="chromium fonts-dejavu-core"

# What single flags of test.sh need: fuzzing, MemorySanitizer and coverage a clang, --m32 a compiler for 32-bit x86.
CLANG_PACKAGES="clang llvm"
M32_PACKAGES="g++-i686-linux-gnu googletest"

# ./test.sh --package builds the Python module, with pip.
PYTHON_PACKAGES="python3-venv python3-dev"

ensure_packages() {
  local missing="" package
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    local absent="" command
    for command in cmake ninja g++ protoc flatc; do
      command -v "$command" >/dev/null || absent="$absent $command"
    done
    [ -z "$absent" ] && return 0
    echo "This script installs packages on Debian and Ubuntu only. Missing here:$absent" >&2
    echo "Install these, and the libraries protobuf (lite), FlatBuffers, OpenBLAS, libsodium, CLI11, fmt, nlohmann-json, GoogleTest and Google Benchmark, then run it again." >&2
    return 1
  fi
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Missing packages:$missing. Run as root or install sudo." >&2; return 1; }
    sudo=sudo
  fi
  echo "Installing Debian packages:$missing" >&2
  . "$(dirname "${BASH_SOURCE[0]}")/build_progress.sh"
  with_seconds "lists of packages" $sudo apt-get update -qq >&2 || { echo "apt-get update failed; check the network and the package sources" >&2; return 1; }
  # shellcheck disable=SC2086
  LC_ALL=C $sudo apt-get install --assume-no --no-install-recommends $missing 2>/dev/null | grep -E '^(Need to get|After this)' >&2 || true
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2 || { echo "apt-get install failed for:$missing" >&2; return 1; }
}
