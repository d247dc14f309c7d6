#!/bin/sh
# Makes everything the comparison needs: environments, the model, the texts and each peer's quantized form.
#
#   setup.sh [WORKDIR]         WORKDIR defaults to build/compare of this checkout; needs about 14 GB, mostly torch
#
#   VENV=DIR         main environment to use or create (default: WORKDIR/venv)
#   VENV_LITERT=DIR  environment of LiteRT (default: WORKDIR/venv_litert)
#   MINILM=DIR       where bench/models/minilm.sh makes or made its files (default: WORKDIR/minilm)
#   SKIP="litert"    peer families to leave out, of: onnxruntime openvino litert
#
# Steps whose result exists are skipped. A peer that cannot be installed or converted is written down in
# WORKDIR/missing with the reason, which the table repeats; the others are measured without it.
set -eu

[ $# -le 1 ] || { echo "usage: $0 [WORKDIR]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../models" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:-$root/build/compare}"
work=$(cd "${1:-$root/build/compare}" && pwd)
venv=${VENV:-$work/venv}
venv_litert=${VENV_LITERT:-$work/venv_litert}
minilm=${MINILM:-$work/minilm}
mkdir -p "$work/log" "$work/missing" "$work/variants"

# Every model file comes from the package; no library may look for one elsewhere.
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 HF_HUB_DISABLE_TELEMETRY=1

# Without these there is nothing to compare, so a failure here ends the run.
"$models/make_venv.sh" "$venv" "$models/requirements.txt"
VENV="$venv" "$models/minilm.sh" "$minilm"
minilm=$(cd "$minilm" && pwd)
printf '{"main": "%s", "litert": "%s", "minilm": "%s"}\n' \
  "$venv/bin/python" "$venv_litert/bin/python" "$minilm" > "$work/environments.json"
[ -f "$work/texts/tokens.npz" ] || "$venv/bin/python" "$here/make_corpus.py" "$work"

onnxruntime() {
  "$models/make_venv.sh" "$venv" "$here/requirements_onnxruntime.txt" &&
    "$venv/bin/python" -W ignore "$here/make_variants.py" "$work" ort_dyn ort_dyn_pc
}

openvino() {
  "$models/make_venv.sh" "$venv" "$here/requirements_openvino.txt" &&
    "$venv/bin/python" -W ignore "$here/make_variants.py" "$work" ov_static
}

litert() {
  "$models/make_venv.sh" "$venv_litert" "$here/requirements_litert.txt" &&
    "$venv_litert/bin/python" -W ignore "$here/make_litert.py" "$work"
}

family() {
  name=$1
  case " ${SKIP:-} " in
    *" $name "*) echo "named in SKIP" > "$work/missing/$name"; return 0 ;;
  esac
  if "$name" > "$work/log/$name.log" 2>&1; then
    rm -f "$work/missing/$name"
    # What a step printed is of interest only when it made something.
    sed -n 's/^made /setup: made /p' "$work/log/$name.log"
  else
    # The last line of a Python traceback or of pip's output names the cause.
    grep -v '^[[:space:]]*$' "$work/log/$name.log" | tail -n 1 | cut -c1-200 > "$work/missing/$name"
    echo "setup: $name left out: $(cat "$work/missing/$name") (see $work/log/$name.log)" >&2
  fi
}

for each in onnxruntime openvino litert; do family "$each"; done
