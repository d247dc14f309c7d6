#!/usr/bin/env bash
# Shows each detector of test.sh red on a fault that tests/fuzz/canary.h plants for it, and green without one; and the fuzz target text on rt/text without one of
# its checks. Builds the libraries of the presets where they are not. canaries.sh [DETECTOR...]: bits asan msan tsan m32 text; all of them by default.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/canaries
mkdir -p "$work"
sources="replay_files.cc open_target.cc open_run_target.cc $(cat tests/fuzz/support_sources.txt)"
failed=0

# object SOURCE NUMBER COMPILER FLAG...: compiles a file of tests/fuzz with the canary NUMBER and prints the object's name.
object() {
  local source=tests/fuzz/$1 number=$2 name
  shift 2
  grep -q 'fuzz/canary.h' "$source" || number=no
  name=$work/$detector.$number.$(basename "$source").o
  [ "$name" -nt "$source" ] || "$@" -std=c++17 -O1 -g -w -I. -isystem "build/$preset/rt/generated" -DERT_FUZZ_CANARY="${number#no}" -c "$source" -o "$name" || return 1
  echo "$name"
}

# try DETECTOR PRESET CANARY SAYS COMPILER FLAG...: the program is silent without the canary, and ends with SAYS with it.
try() {
  local detector=$1 preset=$2 canary=$3 says=$4 number library source objects libraries=""
  shift 4
  { cmake --preset "$preset" && cmake --build --preset "$preset" --target ert; } >"$work/$detector.build" 2>&1 ||
    { echo "$detector: FAILED: preset $preset does not build ($work/$detector.build)"; failed=1; return; }
  for library in rt/libert.a kernels_int8/libert_kernels.a platform/libert_platform.a; do libraries="$libraries build/$preset/$library"; done
  rm -f "$work/$detector".*.o
  for number in 0 "$canary"; do
    objects=""
    for source in $sources; do objects="$objects $(object "$source" "$number" "$@")"; done
    # shellcheck disable=SC2086
    "$@" $objects $libraries -o "$work/$detector$number" $([ "$preset" = fuzz ] || [ "$preset" = release ] && echo -lzstd) -lpthread ||
      { echo "$detector: FAILED: does not build"; failed=1; return; }
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

# try_text FILE CHECK INSTEAD SAYS: fuzzing from the seeds of the target text finds nothing, and ends with SAYS where rt/text/FILE has INSTEAD in CHECK's place.
try_text() {
  local file=$1 check=$2 instead=$3 says=$4 build=build/fuzz source status=0
  { cmake --preset fuzz && cmake --build --preset fuzz --target fuzz_text; } >"$work/text.build" 2>&1 ||
    { echo "text: FAILED: preset fuzz does not build ($work/text.build)"; failed=1; return; }
  mkdir -p "$work/planted/rt/text"
  CHECK=$check INSTEAD=$instead perl -pe 's/\Q$ENV{CHECK}\E/$ENV{INSTEAD}/' "rt/text/$file" >"$work/planted/rt/text/$file"
  ! cmp -s "rt/text/$file" "$work/planted/rt/text/$file" || { echo "text: FAILED: rt/text/$file has no '$check'"; failed=1; return; }
  for source in rt/text/*.cc; do echo "#include \"$source\""; done >"$work/text.cc"  # as one: all of it comes before the library's
  clang++ -std=c++17 -O1 -g -w -fsanitize=address,undefined -fsanitize=fuzzer "-I$work/planted" -I. -isystem "$build/rt/generated" "$work/text.cc" \
    "$build"/tests/fuzz/CMakeFiles/fuzz_text.dir/*.o "$build/tests/fuzz/libfuzz_support.a" "$build/rt/libert.a" "$build/kernels_int8/libert_kernels.a" \
    "$build/platform/libert_platform.a" -lzstd -lgtest -lpthread -o "$work/text_planted" || { echo "text: FAILED: does not build"; failed=1; return; }
  rm -rf "$work/text_seeds"
  ERT_FUZZ_WRITE_SEEDS="$work/text_seeds" "$build/tests/fuzz/fuzz_text"
  "$build/tests/fuzz/fuzz_text" -runs=2000 -seed=1 -timeout=900 "-artifact_prefix=$work/" "$work/text_seeds" >"$work/text0.log" 2>&1 ||
    { echo "text: FAILED: red without a fault ($work/text0.log)"; failed=1; return; }
  "$work/text_planted" -runs=60000 -seed=1 -timeout=900 "-artifact_prefix=$work/" "$work/text_seeds" >"$work/text1.log" 2>&1 || status=$?
  if [ "$status" -eq 0 ] || ! grep -q "$says" "$work/text1.log"; then
    echo "text: FAILED: does not see the deleted check ($work/text1.log)"; failed=1
  else
    echo "text: sees it: $(grep -m 1 "$says" "$work/text1.log")"
  fi
}

runner=
[ -x build/release/tests/fuzz/write_seeds ] || cmake --build --preset release --target write_seeds >/dev/null
build/release/tests/fuzz/write_seeds open_run "$work/seeds"
for detector in ${*:-bits asan msan tsan m32 text}; do
  case "$detector" in
    bits) try bits release 1 'FINDING: the levels give different bits' g++ ;;
    asan) try asan fuzz 2 'AddressSanitizer' clang++ -fsanitize=address,undefined ;;
    msan) try msan msan 4 'use-of-uninitialized-value' clang++ -fsanitize=memory ;;
    tsan) try tsan tsan 3 'data race' g++ -fsanitize=thread ;;
    m32)
      runner="/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib"
      try m32 cross-i686 5 'signed integer overflow' i686-linux-gnu-g++ -msse2 -mfpmath=sse -fsanitize=undefined -fno-sanitize-recover=all
      runner= ;;
    text) try_text open.cc 'return at == t.pieces.size;' 'return true;' 'AddressSanitizer' ;;
  esac
done
exit "$failed"
