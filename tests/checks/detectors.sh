#!/usr/bin/env bash
# The parts of test.sh that need a build of their own: detectors.sh tsan|msan|m32|fuzz HOURS|canaries|deletions|coverage [runtime|converter]. See ./test.sh --help.
set -euo pipefail
cd "$(dirname "$0")/../.."
. toolchains/debian_packages.sh
. toolchains/build_progress.sh

# build PRESET COST TARGET...
build() {
  local preset=$1 cost=$2
  shift 2
  announce_build "build/$preset" "${*:-everything}; log: build/$preset/build.log" "$cost"
  mkdir -p "build/$preset"
  : >"build/$preset/build.log"
  build_with_progress "build/$preset/build.log" cmake --preset "$preset"
  build_with_progress "build/$preset/build.log" cmake --build --preset "$preset" ${*:+--target "$@"}
}

# tests_of PRESET OPTION...: the tests that ctest's options choose.
tests_of() {
  local folder=build/$1
  shift
  ctest --test-dir "$folder" "$@" --output-on-failure -j"$(nproc)" >"$folder/test.log" || { tail -n 40 "$folder/test.log"; exit 1; }
}

# The seeds of the blob targets, and what fuzzing has found worth keeping.
blobs() {
  local corpus=${ERT_FUZZ_STATE:-build/fuzz/fuzz}/corpus folder
  build/release/tests/fuzz/write_seeds open_run build/msan/seeds
  for folder in build/msan/seeds tests/fuzz/found "$corpus/open" "$corpus/open_run"; do
    [ ! -d "$folder" ] || find "$folder" -type f  # a machine that has not fuzzed has no corpus
  done
}

case "$1" in
  tsan)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
    build tsan "about 4 CPU minutes" rt_test platform_test fuzz_replay_test
    for test in rt/rt_test platform/platform_test fuzz/fuzz_replay_test; do
      TSAN_OPTIONS=halt_on_error=1 "build/tsan/tests/$test" --gtest_brief=1
    done ;;
  msan)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $CLANG_PACKAGES
    build release "about 2 CPU minutes" write_seeds
    build msan "about 3 CPU minutes" replay_files
    blobs | xargs build/msan/tests/fuzz/replay_files ;;
  m32)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $M32_PACKAGES
    build cross-i686 "about 5 CPU minutes"
    ctest --test-dir build/cross-i686 -L quick --output-on-failure -j"$(nproc)" ;;
  fuzz)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $CLANG_PACKAGES
    build fuzz "about 25 CPU minutes" fuzz_targets
    exec python3 tests/fuzz/run.py build/fuzz "$2" --rounds 2 ;;
  canaries)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $CLANG_PACKAGES $M32_PACKAGES
    exec tests/checks/canaries.sh ;;
  coverage)
    case "${2:-}" in
      runtime)
        ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
        build coverage-runtime "about 5 CPU minutes"
        find build/coverage-runtime -name '*.gcda' -delete
        # Those of the kernels call nothing of rt/, and without optimisation the first 190 of 471 took ten minutes of two busy cores.
        tests_of coverage-runtime -L quick -E '^kernels_int8'
        exec python3 tests/checks/coverage.py . build/coverage-runtime ;;
      converter)
        ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $CLANG_PACKAGES
        build coverage-converter "about 35 CPU minutes"
        profiles=$PWD/build/coverage-converter/profiles
        rm -rf "$profiles"
        # One refusal is tested under 4 MB of data, and the counters are more.
        LLVM_PROFILE_FILE=$profiles/%8m.profraw tests_of coverage-converter -L quick -E '^kernels_int8|^rt_|^bench_|^package_|StackLimitTest.RefusalsAreThoseOfEver'
        exec python3 tests/checks/condition_coverage.py . build/coverage-converter ;;
      *)
        status=0
        for part in runtime converter; do "$0" coverage "$part" || status=1; done
        exit "$status" ;;
    esac ;;
  deletions)
    ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
    exec python3 tests/checks/check_deletion.py ;;
esac
