#!/bin/sh
# board.sh USER@HOST|local [option ...]: measures edgeconv on a board, beside LiteRT and ONNX Runtime where they can be had, and prints the row to add to a table.
# board.sh --help lists the options.
command -v python3 > /dev/null || { echo "board.sh: this machine has no python3, which the script is written in: install it" >&2; exit 4; }
exec python3 "$(dirname "$0")/board/board.py" "$@"
