# Sourced by quickstart.sh and test.sh: builds with the progress of Ninja as one line on a terminal, "[123/387] 45 s, about 90 s left", and nothing elsewhere.

trap 'printf "\nInterrupted. Only the build folder was written to; the next run goes on from there.\n" >&2; exit 130' INT

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
      printf '\r  %d s\033[K' "$seconds" >&2
      continue
    fi
    # The first files tell little of the others.
    [ $((10 * done)) -lt "$total" ] || [ "$seconds" -lt 5 ] || [ "$done" = "$total" ] || left=", about $((seconds * (total - done) / done)) s left"
    printf '\r  [%s/%s] %d s%s\033[K' "$done" "$total" "$seconds" "$left" >&2
  done
  printf '\n' >&2
}

# with_seconds LABEL COMMAND...: runs COMMAND; on a terminal the seconds go on in a line of their own while it says nothing.
with_seconds() {
  local label="$1" status=0 start=$SECONDS ticker
  shift
  if [ ! -t 2 ]; then "$@"; return; fi
  (while sleep 1; do printf '\r  %s, %d s\033[K' "$label" $((SECONDS - start)) >&2; done) &
  ticker=$!
  "$@" || status=$?
  kill "$ticker" 2>/dev/null
  wait "$ticker" 2>/dev/null || true
  printf '\r\033[K' >&2
  return "$status"
}

# announce_build FOLDER WHAT COST: what a build is going to take, said before it starts. COST holds for a folder that is new.
announce_build() {
  if [ -e "$1/build.ninja" ]; then
    echo "Bringing $1 up to date: $2." >&2
  else
    echo "Building in $1: $2. It takes $3. Nothing is written elsewhere." >&2
  fi
}
