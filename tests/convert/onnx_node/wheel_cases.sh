#!/usr/bin/env bash
# wheel_cases.sh TEST FOLDER: TEST on the backend node tests of an installed onnx package, written to FOLDER once a version.
# ERT_PYTHON names a python that has onnx (default python3); without the package the test is skipped, aloud.
set -euo pipefail
test=$1 folder=$2
python=${ERT_PYTHON:-python3}
if ! version=$("$python" -c 'import onnx; print(onnx.__version__)' 2>/dev/null); then
  echo "$python has no onnx package: pip install onnx, and name its python in ERT_PYTHON"
  echo "[  SKIPPED ] OnnxNode.CasesOfThePythonPackage (0 ms)"
  exit 0
fi
if [ ! -f "$folder/$version/complete" ]; then
  "$python" "$(dirname "$0")/generate_cases.py" "$folder/$version"
  touch "$folder/$version/complete"
fi
ERT_ONNX_TESTDATA=$folder/$version exec "$test"
