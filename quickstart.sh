#!/usr/bin/env bash
# From nothing to an answer: installs what is missing (Debian 12), builds everything in Release, converts the shipped language
# identification model to an int8 blob, runs it on texts, and says what the model costs.
#   ./quickstart.sh [--text "..."]...
set -euo pipefail
cd "$(dirname "$0")"
. toolchains/debian_packages.sh
. toolchains/build_progress.sh

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
announce_build "$build" "the converter edgeconv, ert-bench and an example; log: $log" "about 3 CPU minutes and 250 MB"
mkdir -p "$build"
: >"$log"
build_with_progress "$log" cmake --preset release
build_with_progress "$log" cmake --build --preset release --target edgeconv ert-bench langid similarity

model=tests/models/langid
blob=build/langid.ert
langid=$build/rt/example/langid/langid
"$build/convert/edgeconv" "$model/langid.onnx" --tokenizer "$model" -o "$blob"
echo
"$langid" "$blob" "${texts[@]}"
echo
echo "fp32 ONNX: $(stat -c %s "$model/langid.onnx") bytes"
"$langid" "$blob" --costs
