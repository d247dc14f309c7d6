#!/bin/sh
# Installs the peers, measures them and edgeconv side by side, and prints the tables.
#
#   run.sh [WORKDIR] [option ...]      WORKDIR defaults to build/compare of this checkout
#
# Options are those of compare.py (run.sh --help lists them); the environment variables of setup.sh apply.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case "${1:-}" in
  ''|-*) work=$root/build/compare ;;
  *) work=$1; shift ;;
esac
previous=
for option in "$@"; do
  case "$option" in
    # The help must not cost an installation first, nor must --dry-run.
    -h|--help) exec "${PYTHON:-python3}" "$here/compare.py" --help ;;
    --dry-run) exec "${PYTHON:-python3}" "$here/compare.py" "$work" "$@" ;;
    --models=*) MODELS=$(printf '%s' "${option#--models=}" | tr ',' ' ') ;;
  esac
  if [ "$previous" = --models ]; then MODELS=$(printf '%s' "$option" | tr ',' ' '); fi
  previous=$option
done
export MODELS="${MODELS:-}"
# Neither must a mistyped option.
"${PYTHON:-python3}" "$here/compare.py" --dry-run "$work" "$@"
"$here/setup.sh" "$work"
python=$(sed -n 's/.*"main": "\([^"]*\)".*/\1/p' "$work/environments.json")
exec "$python" -W ignore "$here/compare.py" "$work" "$@"
