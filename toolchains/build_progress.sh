# Sourced by quickstart.sh and test.sh: builds with the progress of Ninja as one line on a terminal, "[123/387] 45 s", and nothing elsewhere.

# build_with_progress LOG COMMAND...: runs COMMAND with its output in LOG (created, or extended). On failure shows the log's last lines.
build_with_progress() {
  local log="$1" status=0
  shift
  if [ -t 2 ]; then
    NINJA_STATUS='[%f/%t] ' "$@" 2>&1 | tee -a "$log" | one_line_of_progress || status=$?
    [ "$status" -ne 0 ] || status=${PIPESTATUS[0]}
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

# What a build is going to be: said before it starts, if it has not been done.
announce_build() {
  local folder="$1" what="$2"
  if [ -e "$folder/build.ninja" ]; then
    echo "Bringing $folder up to date." >&2
  else
    echo "Building $what in $folder: $3 on 2 cores of a recent machine, $4 of disk. Nothing is written outside of this folder." >&2
  fi
}
