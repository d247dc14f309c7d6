#!/usr/bin/env bash
# run.sh BLOB [DIM..]: how fast the one file runs that anybody's `g++ -O2 ert.cc` built, against the library of the preset release: microseconds of one run of each, the
# medians of 11 rounds in turns, and their ratio. DIM: a value of each of the model's dims (sequence 32 for a MiniLM of one text). Exit 1 below 95 %.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] && [ -f "$1" ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
[ -f build/release/rt/libert.a ] || { echo "run.sh: build first: cmake --preset release && cmake --build --preset release" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
toolchains/package/amalgamate -o "$work" >/dev/null
g++ -O2 -c "$work/ert.cc" -o "$work/ert.o"
gcc -O2 -Wall -Wextra -I"$work" -c bench/one_file/time_runs.c -o "$work/time_runs.o"
g++ "$work/time_runs.o" "$work/ert.o" -o "$work/one"
g++ "$work/time_runs.o" build/release/rt/libert.a build/release/kernels_int8/libert_kernels.a build/release/platform/libert_platform.a -lzstd -lm -pthread -o "$work/library"
for _ in $(seq 11); do
  for built in one library; do
    "$work/$built" "$1" "${RUNS:-60}" "${@:2}" >>"$work/$built.us"
  done
done
one=$(sort -n "$work/one.us" | sed -n 6p)
library=$(sort -n "$work/library.us" | sed -n 6p)
awk -v one="$one" -v library="$library" 'BEGIN {
  printf "one file %.1f us, library %.1f us: %.1f %% of its speed (goal 95)\n", one, library, 100 * library / one
  exit library / one < .95 }'
