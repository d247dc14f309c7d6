#!/usr/bin/env bash
# run.sh LINES: what ./test.sh --text runs. The references come from PyPI into build/text/venv.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=build/text/venv
if [ ! -e $venv/ready ]; then
  python3 -m venv $venv
  $venv/bin/pip install -q -r tests/text/requirements.txt
  $venv/bin/pip install -q --no-deps -r tests/text/requirements_alone.txt
  touch $venv/ready
fi
exec $venv/bin/python tests/text/compare.py build/release/convert/edgeconv build/text/kinds --speed build/release/tests/text/text_speed \
  --lines "$1" --hostile $(($1 / 10))
