#!/bin/sh
# run_cortex_m.sh BOARD [--icount] PROGRAM [ARGUMENT...]: runs a firmware image under QEMU. Its arguments (without spaces), files,
# output and exit status go through semihosting. --icount makes time the number of instructions (1 ns each), so that the
# core's clock repeats from run to run.
board=$1
shift
icount=
if [ "$1" = --icount ]; then
  icount="-icount shift=0"
  shift
fi
program=$1
shift
# shellcheck disable=SC2086
exec qemu-system-arm -machine "$board" $icount -nodefaults -nic none -display none -serial none -monitor none \
  -semihosting-config enable=on,target=native -kernel "$program" -append "$*"
