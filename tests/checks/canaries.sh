#!/usr/bin/env bash
# Shows each detector of test.sh red on a fault that tests/fuzz/canary.h plants for it, and green without one. Uses the libraries of the presets' builds; builds what
# is missing. canaries.sh [DETECTOR...]: bits asan msan tsan m32; all of them by default.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/canaries
mkdir -p "$work"
sources="tests/fuzz/replay_files.cc tests/fuzz/open_target.cc tests/fuzz/open_run_target.cc tests/fuzz/bound_run.cc tests/fuzz/target.cc
  tests/fuzz/blob_mutator.cc tests/fuzz/blob_spec_reader.cc tests/fuzz/program_mutator.cc tests/fuzz/program_plan.cc tests/fuzz/window_mutator.cc
  tests/support/blob_builder.cc"
failed=0

# try DETECTOR PRESET CANARY SAYS COMPILER FLAG...: the program is silent without the canary, and ends with SAYS with it.
try() {
  local detector=$1 preset=$2 canary=$3 says=$4 number library libraries=""
  shift 4
  [ -f "build/$preset/rt/libert.a" ] || { cmake --preset "$preset" && cmake --build --preset "$preset" --target ert; } >"$work/$detector.build" 2>&1
  for library in rt/libert.a kernels_int8/libert_kernels.a platform/libert_platform.a; do libraries="$libraries build/$preset/$library"; done
  for number in 0 "$canary"; do
    # shellcheck disable=SC2086
    "$@" -std=c++17 -O1 -g -w -I. -isystem "build/$preset/rt/generated" -DERT_FUZZ_CANARY="$number" $sources $libraries -o "$work/$detector$number" \
      $([ "$preset" = fuzz ] || [ "$preset" = release ] && echo -lzstd) -lpthread
    local status=0
    { $runner "$work/$detector$number" "$work"/seeds/small >"$work/$detector$number.log" 2>&1; } 2>/dev/null || status=$?
    if [ "$number" = 0 ] && [ "$status" -ne 0 ]; then
      echo "$detector: FAILED: red without a fault ($work/$detector$number.log)"; failed=1
    elif [ "$number" != 0 ] && { [ "$status" -eq 0 ] || ! grep -q "$says" "$work/$detector$number.log"; }; then
      echo "$detector: FAILED: does not see the planted fault ($work/$detector$number.log)"; failed=1
    elif [ "$number" != 0 ]; then
      echo "$detector: sees it: $(grep -m 1 "$says" "$work/$detector$number.log")"
    fi
  done
}

runner=
[ -x build/release/tests/fuzz/write_seeds ] || cmake --build --preset release --target write_seeds >/dev/null
build/release/tests/fuzz/write_seeds open_run "$work/seeds"
for detector in ${*:-bits asan msan tsan m32}; do
  case "$detector" in
    bits) try bits release 1 'FINDING: the levels give different bits' g++ ;;
    asan) try asan fuzz 2 'AddressSanitizer' clang++ -fsanitize=address,undefined ;;
    msan) try msan msan 4 'use-of-uninitialized-value' clang++ -fsanitize=memory ;;
    tsan) try tsan tsan 3 'data race' g++ -fsanitize=thread ;;
    m32)
      runner="/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib"
      try m32 cross-i686 5 'signed integer overflow' i686-linux-gnu-g++ -msse2 -mfpmath=sse -fsanitize=undefined -fno-sanitize-recover=all
      runner= ;;
  esac
done
exit "$failed"
