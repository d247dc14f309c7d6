#!/usr/bin/env bash
# From nothing to an answer: installs what is missing (Debian 12), builds everything in Release, converts the shipped language
# identification model to an int8 blob, runs it on texts, and says what the model costs.
#   ./quickstart.sh [--text "..."]...
set -euo pipefail
cd "$(dirname "$0")"
. toolchains/debian_packages.sh

texts=()
while [ $# -gt 0 ]; do
  case "$1" in
    --text)
      [ $# -ge 2 ] || { echo "--text needs a text: ./quickstart.sh --text \"Guten Morgen\"" >&2; exit 2; }
      texts+=("$2"); shift 2 ;;
    -h|--help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "unknown argument '$1'; usage: ./quickstart.sh [--text \"...\"]..." >&2; exit 2 ;;
  esac
done
if [ ${#texts[@]} -eq 0 ]; then
  texts=("Good morning, how are you today?" "Où se trouve la gare, s'il vous plaît ?" "Доброе утро, как дела?" "おはようございます。" "Wo ist der Bahnhof?")
fi

ensure_packages $BUILD_PACKAGES $TEST_PACKAGES
build=build/release
log=$build/quickstart.log
mkdir -p "$build"
echo "Building (log: $log) ..." >&2
if ! { cmake --preset release && cmake --build --preset release --target edgeconv ert-bench langid; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The build failed; the whole log is $log" >&2
  exit 1
fi

model=tests/models/langid
blob=build/langid.ert
langid=$build/rt/example/langid/langid
"$build/convert/edgeconv" "$model/langid.onnx" -o "$blob"
echo
"$langid" "$blob" "$model/langid.labels.txt" "${texts[@]}"
echo
echo "fp32 ONNX: $(stat -c %s "$model/langid.onnx") bytes"
"$langid" "$blob" "$model/langid.labels.txt" --costs
