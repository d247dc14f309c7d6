#!/usr/bin/env bash
# Builds and runs the tests.
#   ./test.sh           quick tier: every unit test, the repository's fixtures, the command line (under 3 minutes after the build)
#   ./test.sh --full    also the long ones (all fixtures of ERT_FIXTURES, ONNX node tests, exhaustive bit flips), what they counted, then --tsan, --msan, --m32 and canaries
#   ./test.sh --asan    quick tier under AddressSanitizer and UndefinedBehaviorSanitizer
#   ./test.sh --tsan    the runtime's tests under ThreadSanitizer: its thread pool, contexts of one model on many threads
#   ./test.sh --msan    the runtime on the fuzz targets' blobs under MemorySanitizer (clang)
#   ./test.sh --m32     the runtime and its tests for 32-bit x86 under UndefinedBehaviorSanitizer
#   ./test.sh --fuzz HOURS   every fuzz target in turn (clang); adds to totals that it prints. ERT_FUZZ_STATE=FOLDER keeps them elsewhere than in build/
#   ./test.sh --canaries     each of these detectors on a fault that was planted for it
#   ./test.sh --deletions    every check of loader and verifier is deleted once: the runtime's tests must notice
#   ./test.sh --coverage [runtime|converter]   branch coverage by the quick tests; the runtime alone takes a tenth of the time
#   ./test.sh --manners  typos, help, terminals of several widths, every message of exit 2 to 5, reports in a browser at three widths; screenshots and messages in build/release/manners/
#   ./test.sh --text [LINES]  29 tokenizers against Hugging Face tokenizers and sentencepiece (from PyPI, in build/text) on LINES lines each of message
#                       catalogs and a tenth as many hostile ones; lines, languages, differences, speed. Then tasks against the pipelines of
#                       transformers (build/minilm). Default 20000; 1000000 takes hours
#   ./test.sh --cross   ARM, Cortex-M and RISC-V builds: their tests under emulators, one digest over all targets and ISA levels, sizes
#   ./test.sh --cross-smoke   a few minutes of that: one AArch64 and one Cortex-M target, digest and firmware
#   ./test.sh --package [NAME..]   every way into another project, each in a clean folder (toolchains/package/README.md); lists what cannot run here
#   ./test.sh --isa NAME  quick tier as on a CPU whose best level is NAME: sse41, avx2, avxvnni (levels: kernels_int8/README.md)
set -euo pipefail
cd "$(dirname "$0")"
. toolchains/debian_packages.sh
. toolchains/build_progress.sh

preset=release
labels=quick
cross=no
special=
hours=
package=no
names=()
while [ $# -gt 0 ]; do
  case "$1" in
    --full) labels='quick|full' ;;
    --asan) preset=asan-ubsan ;;
    --tsan|--msan|--m32|--canaries|--deletions) special=${1#--} ;;
    --coverage)
      special=coverage
      if [ "${2:-}" = runtime ] || [ "${2:-}" = converter ]; then hours=$2; shift; fi ;;
    --manners) exec tests/cli/manners.sh ;;
    --fuzz)
      special=fuzz hours=${2:-}
      [[ "$hours" =~ ^[0-9]*\.?[0-9]+$ ]] || { echo "--fuzz needs a number of hours; see ./test.sh --help" >&2; exit 2; }
      shift ;;
    --package) shift; package=yes names=("$@"); break ;;
    --text)
      special=text
      if [[ "${2:-}" =~ ^[0-9]+$ ]]; then hours=$2; shift; fi ;;
    --cross) cross=yes ;;
    --cross-smoke) cross=smoke ;;
    --isa)
      [ $# -ge 2 ] || { echo "--isa wants the name of a level" >&2; exit 2; }
      ERT_HIDDEN_CPU_FEATURES=$(python3 tests/checks/isa_levels.py . --hidden-above "$2") || exit 2
      export ERT_HIDDEN_CPU_FEATURES
      shift ;;
    -h|--help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "unknown argument '$1'; see ./test.sh --help" >&2; exit 2 ;;
  esac
  shift
done
if [ "$special" = text ]; then
  ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
  mkdir -p build/release
  build_with_progress build/release/build.log cmake --preset release
  build_with_progress build/release/build.log cmake --build --preset release --target edgeconv text_speed ert-bench
  exec tests/text/run.sh "${hours:-20000}"
fi
if [ -n "$special" ]; then
  exec tests/checks/detectors.sh "$special" $hours
fi

if [ "$package" = yes ]; then
  python3 tests/package/consumers.py . build/release --list ${names:+--only "${names[@]}"} >/dev/null
  ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $PACKAGE_PACKAGES $PYTHON_PACKAGES $CORTEX_M_PACKAGES
  announce_build build/release "edgeconv, then every way into another project in folders of their own" "about 6 CPU minutes, packages of Debian as many more"
  mkdir -p build/release
  build_with_progress build/release/build.log cmake --preset release
  build_with_progress build/release/build.log cmake --build --preset release --target edgeconv
  exec python3 tests/package/consumers.py . build/release ${names:+--only "${names[@]}"}
fi

if [ "$cross" != no ]; then
  ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $CROSS_PACKAGES
  announce_build build/release "edgeconv and what the targets are compared with, then the targets in build/cross-*" \
    "about 4 CPU minutes, --cross 20 minutes more"
  mkdir -p build/release
  build_with_progress build/release/build.log cmake --preset release
  build_with_progress build/release/build.log cmake --build --preset release --target edgeconv digest one_model ert-bench write_extremes
  # The quick tests skip these where the compilers are missing.
  {
    for architecture in aarch64 armv7 cortex-m; do
      python3 tests/package/one_file_test.py . "$architecture"
    done
    python3 tests/package/bare_metal_test.py . build/release
  } | tee build/one_file.log
  if grep -q SKIPPED build/one_file.log; then
    echo "./test.sh: a cross compiler is missing: see SKIPPED above" >&2
    exit 1
  fi
fi
if [ "$cross" = smoke ]; then
  cmake --preset cross-aarch64 >/dev/null
  cmake --build --preset cross-aarch64 --target digest
  cmake --preset cross-cortex-m4 >/dev/null
  cmake --build --preset cross-cortex-m4
  exec python3 tests/digest/cross.py . --smoke
fi
if [ "$cross" = yes ]; then
  for target in cross-aarch64 cross-armv7 cross-riscv64 cross-cortex-m3 cross-cortex-m4 cross-cortex-m7 cross-cortex-m33 cross-cortex-m55; do
    cmake --preset "$target" >/dev/null
    cmake --build --preset "$target"
  done
  exec python3 tests/digest/cross.py .
fi

ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
log=build/$preset/test.log
cost="about 5 CPU minutes and 900 MB"
[ "$preset" = asan-ubsan ] && cost="about 25 CPU minutes and 3 GB"
[ "$labels" = quick ] || cost="$cost, and the long tests up to an hour"
announce_build "build/$preset" "everything and its tests, then the tests run; logs: build/$preset/build.log, $log" "$cost"
mkdir -p "build/$preset"
: >"build/$preset/build.log"
build_with_progress "build/$preset/build.log" cmake --preset "$preset"
build_with_progress "build/$preset/build.log" cmake --build --preset "$preset"
status=0
tests_with_progress "$log" ctest --test-dir "build/$preset" -L "$labels" --output-on-failure -j"$(nproc)" || status=$?
# Cases that a test skipped (a CPU level this machine lacks, data that is not installed) are counted and named, never silent.
# ctest prints only failing tests; its own log has the output of all.
all=build/$preset/Testing/Temporary/LastTest.log
skipped=$(grep -ac '^\[  SKIPPED \] .* ([0-9]* ms)' "$all" || true)
grep -a '^\[  SKIPPED \] .* ([0-9]* ms)' "$all" || true
run=$(sed -n 's/.*tests failed out of \([0-9]*\).*/\1/p' "$log" | tail -n 1)
echo "tests run: ${run:-0}, skipped: $skipped"
if [ "$labels" != quick ]; then
  python3 tests/checks/full_figures.py "$all"
fi
if [ "$labels" != quick ] && [ "$preset" = release ]; then
  for detector in tsan msan m32 canaries; do
    begun=$SECONDS
    tests/checks/detectors.sh "$detector" || { echo "FAILED: ./test.sh --$detector" >&2; status=1; }
    echo "./test.sh --$detector: $((SECONDS - begun)) s"
  done
fi
[ "$labels" = quick ] || echo "took $((SECONDS / 60)) minutes, builds included"
exit "$status"
