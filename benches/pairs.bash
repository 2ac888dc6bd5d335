# What the scripts share that run mopsim and another program in turn. They set `runs`, the number of pairs, before they call `prepare`.

die() { echo "$(basename "$0"): $1" >&2; exit 2; }

# Makes a folder `work` that goes at the end, and in it `mopsim`, a copy of $MOPSIM or of what cargo builds: a program as it is installed. What a
# linker has written lies in the page cache in single pages, which makes runs of 10 ms up to 7 % longer.
prepare() {
  [[ $runs =~ ^[1-9][0-9]*$ ]] || die "-n $runs: the number of pairs is 1 or more"
  [ -n "${EPOCHREALTIME:-}" ] || die 'needs bash 5 or newer'
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  [ -n "${MOPSIM:-}" ] || cargo build --release --quiet --manifest-path "$here/Cargo.toml"
  mopsim=$work/mopsim
  cp "${MOPSIM:-$here/target/release/mopsim}" "$mopsim"
}

# Runs a command and leaves its wall time in `elapsed`, in microseconds. Gives its exit code.
timed() {
  local begin=$EPOCHREALTIME end
  { "$@" >"$work/out" 2>"$work/errors"; } 2>/dev/null || return
  end=$EPOCHREALTIME
  elapsed=$((${end/./} - ${begin/./}))
}

# Runs a command in the folder `work`. Leaves its processor time, of user and system, in `elapsed`, in microseconds, what it printed in
# `out` and `errors`, and its exit code in `code`; ends the script if it printed nothing.
spent() {
  local user system TIMEFORMAT='%3U %3S'
  # A shell announces a crash before the times.
  read -r user system < <({ time (cd "$work"; code=0; "$@" >out 2>errors </dev/null || code=$?; echo $code >code); } 2>&1 | tail -1)
  code=$(<"$work/code")
  [ -s "$work/out" ] || die "$1 fails: $(head -1 "$work/errors")"
  elapsed=$((10#${user/./} * 1000 + 10#${system/./} * 1000))
}

# Notes a pair: the times of both in microseconds.
note_pair() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f %.6f %.4f\n", a / 1e6, b / 1e6, b / a }' >>"$work/pairs"; }

# The median of a column of the pairs: the seconds of the first, of the second, their ratio.
middle() { cut -d' ' -f"$1" "$work/pairs" | sort -g | sed -n "$(((runs + 1) / 2))p"; }

# The smallest and the largest ratio, each in a format of printf.
spread() {
  local ratios
  ratios=$(cut -d' ' -f3 "$work/pairs" | sort -g)
  printf "$1 to $1" "$(head -1 <<<"$ratios")" "$(tail -1 <<<"$ratios")"
}
