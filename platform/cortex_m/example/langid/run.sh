#!/usr/bin/env bash
# run.sh [--target portable|cortex-m] [CORE...]: builds the language model's firmware for each core (m3, m4, m7, m33, m55; default m4 m7 m33 m55),
# prints what it says on the emulated board, its bytes by part and a bound of its stack. --target says how the weights are packed
# (edgeconv --target; default portable). transcript.txt is what `run.sh m4 m33 m55` prints: tests/cortex_m/transcript.py compares them.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
. toolchains/debian_packages.sh
target=portable
if [ "${1:-}" = --target ]; then
  target=${2:?--target wants portable or cortex-m}
  shift 2
fi
ensure_packages $BUILD_PACKAGES $CORTEX_M_PACKAGES
cmake --preset release >/dev/null
cmake --build --preset release --target edgeconv >/dev/null
[ $# -gt 0 ] || set -- m4 m7 m33 m55
for core in "$@"; do
  cmake --preset "cross-cortex-$core" -DERT_LANGID_TARGET="$target" >/dev/null
  cmake --build --preset "cross-cortex-$core" --target langid_firmware >/dev/null
  build=build/cross-cortex-$core
  image=$build/platform/cortex_m/example/langid/langid_firmware
  board=$(sed -n 's/^ERT_BOARD:[A-Z]*=//p' "$build/CMakeCache.txt")
  echo "== Cortex-${core^^} on $board, weights packed for $target, gcc $(arm-none-eabi-gcc -dumpfullversion)"
  toolchains/run_cortex_m.sh "$board" --icount "$image"
  echo "bytes:"
  python3 tests/checks/firmware_size.py "$image.map"
  python3 tests/checks/stack_bound.py "$image" "$build" 2048
done
