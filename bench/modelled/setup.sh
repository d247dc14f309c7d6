#!/usr/bin/env bash
# setup.sh WORKDIR: what run.py needs, about 0.3 GB: an arm64 userland with python3.11, the peers' arm64 packages, boards to pretend, the counting plugin.
# Steps that are done are skipped. For Debian 12, whose qemu-user 7.2 has the plugin interface that count_blocks.c knows.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 WORKDIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../toolchains/debian_packages.sh"
ensure_packages $CROSS_PACKAGES gcc python3-pip
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$work"

# From the package sources of this machine, but for arm64 and with lists and caches of its own.
if [ ! -x sysroot/usr/bin/python3.11 ]; then
  mkdir -p apt/lists/partial apt/cache/archives/partial debs
  : > apt/status
  cat > apt/apt.conf <<EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State "$work/apt";
Dir::State::lists "$work/apt/lists";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt/cache";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
EOF
  export APT_CONFIG=$work/apt/apt.conf
  apt-get update -q
  (cd debs && apt-get download -q libc6 libgcc-s1 gcc-12-base libstdc++6 libcrypt1 zlib1g libbz2-1.0 liblzma5 libffi8 libexpat1 libssl3 \
    libsqlite3-0 libuuid1 libtinfo6 libncursesw6 libreadline8 libdb5.3 libnsl2 libtirpc3 \
    libpython3.11-minimal libpython3.11-stdlib python3.11-minimal python3.11)
  for deb in debs/*.deb; do dpkg-deb -x "$deb" sysroot; done
fi

# parts.py knows functions of this onnxruntime by their addresses.
if [ ! -f site/.done ]; then
  platforms=(--platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 --platform any)
  python3 -m pip download -q -d wheels --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none "${platforms[@]}" \
    numpy==2.4.6 onnxruntime==1.31.1 ai-edge-litert==2.3.0
  mkdir -p site
  for wheel in wheels/*.whl; do python3 -m zipfile -e "$wheel" site; done
  touch site/.done
fi

"$here/boards.sh" "$work"
gcc -O2 -Wall -shared -fPIC "$here/count_blocks.c" -o count_blocks.so
QEMU_LD_PREFIX=$work/boards/a76 PYTHONHOME=$work/sysroot/usr PYTHONPATH=$work/site qemu-aarch64 -cpu cortex-a76 sysroot/usr/bin/python3.11 -c \
  'import numpy, onnxruntime, ai_edge_litert.interpreter; print("peers: onnxruntime", onnxruntime.__version__, "numpy", numpy.__version__)'
