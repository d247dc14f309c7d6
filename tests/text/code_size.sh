#!/usr/bin/env bash
# code_size.sh: bytes of Thumb-2 code (Cortex-M4, -Os) that a device links to encode with one kind of tokenizer, each with the steps of a model in use, and
# with all kinds. Goal: 12 KB for one. Needs arm-none-eabi-g++ (CORTEX_M_PACKAGES of toolchains/debian_packages.sh). Exit 1 where a kind is larger.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
cat >"$work/main.c" <<'C'
#include "rt/include/ert_text.h"
extern unsigned char tables[], memory[];
int main(void) {
  ert_text t;
  ert_encoding e = {sizeof e, 0};
  size_t need;
  return ert_text_open_tables(&t, tables, 1000) | ert_text_bytes(&t, 100, 0, &need) | ert_text_encode(&t, 0, tables, 100, 0, 0, memory, need, &e);
}
unsigned char tables[1000], memory[1000];
C
generated=build/release/rt/generated
[ -e $generated/rt/schema/program_generated.h ] || { echo "code_size.sh: build first: cmake --preset release && cmake --build --preset release --target edgeconv" >&2; exit 2; }
flags="-isystem $generated -Os -DERT_SMALL_CODE=1 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti -fno-threadsafe-statics -I."
failed=0
# bits: sum of 1 << enumerator, as rt/text/format.h numbers them.
bits() { local sum=0 n; for n in "$@"; do sum=$((sum + (1 << n))); done; echo "${sum}u"; }
measure() {  # NAME LIMIT KINDS NORMALIZERS PRETOKENIZERS SPLIT_RULES, lists of numbers
  local name=$1 limit=$2 own="" objects="" file
  [ "$3" = all ] || own="-DERT_TEXT_KINDS=$(bits $3) -DERT_TEXT_NORMALIZERS=$(bits $4) -DERT_TEXT_PRETOKENIZERS=$(bits $5) -DERT_TEXT_SPLIT_RULES=$(bits $6)"
  for file in $(ls rt/text/*.cc | grep -v "answer_\|ask\|runner\|task"); do  # tasks are what a device links beside its tokenizer
    arm-none-eabi-g++ -std=c++17 $flags $own -c "$file" -o "$work/$(basename "$file").o"
    objects="$objects $work/$(basename "$file").o"
  done
  arm-none-eabi-gcc -std=c99 ${flags//-fno-rtti -fno-threadsafe-statics/} -c "$work/main.c" -o "$work/main.o"
  arm-none-eabi-gcc $flags -Wl,--gc-sections,--unresolved-symbols=ignore-all,-e,main -nostartfiles "$work/main.o" $objects -lc -lgcc -o "$work/app" 2>/dev/null
  local code
  code=$(arm-none-eabi-nm -C -S --size-sort "$work/app" | grep " [TtRrWw] .*ert" | cut -d' ' -f2 | while read -r size; do echo $((16#$size)); done | paste -sd+ | bc)
  printf '%-44s %6d bytes\n' "$name" "$code"
  [ "$limit" -eq 0 ] || [ "$code" -le "$limit" ] || failed=1
}
limit=12288
measure "WordPiece: BERT uncased" $limit "1" "2 6 7 8 5" "1" "0"
measure "BPE of bytes: GPT-2, RoBERTa" $limit "2" "" "5 8" "1"
measure "BPE of bytes: CLIP" $limit "2" "1 5 11" "5 8" "2"
measure "BPE with byte fallback: Mistral, Llama" $limit "2" "11 12" "4" "0"
measure "Unigram: T5, XLM-R" $limit "3" "10 11" "3 4" "0"
measure "Unigram: SentencePiece's .model" $limit "3" "14" "" "0"
measure "WordLevel" $limit "4" "5" "3" "0"
measure "n-grams" $limit "6" "" "" "0"
measure "all kinds" 0 all
exit $failed
