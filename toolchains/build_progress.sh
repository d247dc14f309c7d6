# Sourced by quickstart.sh and test.sh: builds with the progress of Ninja as one line on a terminal, "[123/387] 45 s, about 90 s left", and nothing elsewhere.

trap 'printf "\nInterrupted. Only the build folder was written to; the next run goes on from there.\n" >&2; exit 130' INT

# draw_line TEXT: on the terminal, in place of what its last line showed; cut, because what goes on in the next line stays there for ever.
draw_line() {
  [ -n "${progress_columns:-}" ] || progress_columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
  [ "${progress_columns:-0}" -gt 0 ] || progress_columns=80
  printf '\r%s\033[K' "${1:0:progress_columns-1}" >&2
}

# build_with_progress LOG COMMAND...: runs COMMAND with its output in LOG (created, or extended). On failure shows the log's last lines.
build_with_progress() {
  local log="$1" status=0
  shift
  if [ -t 2 ]; then
    set +e
    NINJA_STATUS='[%f/%t] ' "$@" 2>&1 | tee -a "$log" | one_line_of_progress
    status=${PIPESTATUS[0]}
    set -e
  else
    "$@" >>"$log" 2>&1 || status=$?
  fi
  [ "$status" -eq 0 ] && return 0
  tail -n 40 "$log" >&2
  echo "The build failed; the whole log is $log" >&2
  return 1
}

# Every second, so that a compiler that takes its time is not taken for a hang: what is done, how long it took, about how long it still takes.
one_line_of_progress() {
  local line done="" total=0 start=$SECONDS seconds left status
  while :; do
    status=0
    IFS= read -r -t 1 line || status=$?
    [ $status -eq 0 ] || [ $status -gt 128 ] || break
    case "$line" in
      \[[0-9]*/[0-9]*\]*) done=${line%%/*} total=${line#*/}; done=${done#[} total=${total%%]*} ;;
    esac
    seconds=$((SECONDS - start)) left=""
    if [ -z "$done" ]; then
      draw_line "  $seconds s"
      continue
    fi
    # The first files tell little of the others.
    [ $((10 * done)) -lt "$total" ] || [ "$seconds" -lt 5 ] || [ "$done" = "$total" ] || left=", about $((seconds * (total - done) / done)) s left"
    draw_line "  [$done/$total] $seconds s$left"
  done
  printf '\n' >&2
}

# with_seconds LABEL COMMAND...: runs COMMAND; on a terminal the seconds go on in a line of their own while it says nothing.
with_seconds() {
  local label="$1" status=0 start=$SECONDS ticker
  shift
  if [ ! -t 2 ]; then "$@"; return; fi
  (while sleep 1; do draw_line "  $label, $((SECONDS - start)) s"; done) &
  ticker=$!
  "$@" || status=$?
  kill "$ticker" 2>/dev/null
  wait "$ticker" 2>/dev/null || true
  printf '\r\033[K' >&2
  return "$status"
}

# tests_with_progress LOG COMMAND...: runs a ctest with its output in LOG. On a terminal tests that pass are counted in one line that moves every second,
# with the one that ended last; all else is shown as it comes.
tests_with_progress() {
  local log="$1" status=0
  shift
  set +e
  if [ -t 1 ] && [ -t 2 ]; then
    "$@" 2>&1 | tee "$log" | one_line_of_tests
  else
    "$@" 2>&1 | tee "$log"
  fi
  status=${PIPESTATUS[0]}
  set -e
  return "$status"
}

one_line_of_tests() {
  local line="" part count="0/?" last="" start=$SECONDS status
  local result='^ *([0-9]+/[0-9]+) Test +#[0-9]+: ([^ ]+) \.* +([*]*[A-Za-z]+)'
  while :; do
    status=0
    IFS= read -r -t 1 part || status=$?
    line+=$part  # what had come of a line when the second was over
    if [ $status -eq 0 ]; then
      if [[ "$line" =~ $result ]]; then
        count=${BASH_REMATCH[1]} last=", ${BASH_REMATCH[2]}"
        [ "${BASH_REMATCH[3]}" = Passed ] || printf '\r\033[K%s\n' "$line"
      elif ! [[ "$line" =~ ^\ *Start\ +[0-9]+: ]]; then
        printf '\r\033[K%s\n' "$line"
      fi
      line=""
    elif [ $status -le 128 ]; then
      break
    fi
    draw_line "  [$count] $((SECONDS - start)) s$last"
  done
  printf '\r\033[K' >&2
}

# announce_build FOLDER WHAT COST: what a build is going to take, said before it starts. COST holds for a folder that is new.
announce_build() {
  if [ -e "$1/build.ninja" ]; then
    echo "Bringing $1 up to date: $2." >&2
  else
    echo "Building in $1: $2. It takes $3. Nothing is written elsewhere." >&2
  fi
}
