#!/bin/sh
# Creates a Python environment and installs a requirements file into it, unless both were done before.
#
#   make_venv.sh VENV REQUIREMENTS
#
#   PYTHON=NAME  interpreter that creates the environment (default: python3)
set -eu

[ $# -eq 2 ] || { echo "usage: $0 VENV REQUIREMENTS" >&2; exit 2; }
venv=$1
requirements=$2
# A copy of the file that was installed, named by what is in it, tells whether anything is left to do.
stamp=$venv/.installed-$(cksum < "$requirements" | cut -d' ' -f1)

[ -f "$stamp" ] && exit 0
size=
if grep -q torch "$requirements"; then size=" (the torch packages are several gigabytes)"; fi
echo "installing $(basename "$requirements") into $venv$size"
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install -q -r "$requirements"
cp "$requirements" "$stamp"
