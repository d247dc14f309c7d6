# Sourced by quickstart.sh and test.sh: builds with the progress of Ninja as one line on a terminal, "[123/387] 45 s", and nothing elsewhere.

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

one_line_of_progress() {
  local line count start=$SECONDS shown=""
  while IFS= read -r line; do
    count=${line%%]*}
    case "$line" in
      \[[0-9]*/[0-9]*\]*) shown="  $count] $((SECONDS - start)) s"; printf '\r%s' "$shown" >&2 ;;
    esac
  done
  [ -z "$shown" ] || printf '\n' >&2
}

# announce_build FOLDER WHAT COST: what a build is going to take, said before it starts. COST holds for a folder that is new.
announce_build() {
  if [ -e "$1/build.ninja" ]; then
    echo "Bringing $1 up to date: $2." >&2
  else
    echo "Building in $1: $2. It takes $3. Nothing is written elsewhere." >&2
  fi
}
