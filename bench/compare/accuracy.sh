#!/bin/sh
# Prints how close the sentence embeddings of MiniLM are to fp32: edgeconv with and without calibration data beside its peers.
#
#   accuracy.sh [WORKDIR] [--check]      WORKDIR defaults to build/compare of this checkout
#
# --check: exit 7 when a goal is missed or could not be measured. The environment variables of setup.sh apply; the texts are drawn out
# of documentation installed on this machine (make_corpus.py).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case "${1:-}" in
  ''|-*) work=$root/build/compare ;;
  *) work=$1; shift ;;
esac
for option in "$@"; do  # a mistyped one must not cost an installation first
  [ "$option" = --check ] || { echo "accuracy.sh: unknown option $option; usage: accuracy.sh [WORKDIR] [--check]" >&2; exit 2; }
done
MODELS=minilm "$here/setup.sh" "$work"
work=$(cd "$work" && pwd)
python=$(sed -n 's/.*"main": "\([^"]*\)".*/\1/p' "$work/environments.json")
exec "$python" -W ignore "$here/accuracy_table.py" "$work" "$@"
