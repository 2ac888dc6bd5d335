# What the comparisons of flits share, in addition to pairs.bash: `mopsim packets` on one thread and another simulator, in turn. A network has
# `network` (its name), `per_switch` (hosts), `load` (flits per host and cycle) and `cycles` (of the other simulator).

# Ends the script unless the program that `spent` ran has succeeded.
succeeded() { [ "$code" = 0 ] || die "$1 fails on $network: $(head -1 "$work/errors")"; }

# Ends the script unless all values are positive numbers.
positive() {
  local value
  for value; do awk -v v="$value" 'BEGIN { exit !(v + 0 > 0) }' || die "a run on $network ends without a result"; done
}

# Returns the nanoseconds per passage of a run that took `elapsed`, from `hosts`, `accepted` and `hops`: a flit passes the switches at both
# ends of each cable on its way.
per_passage() {
  awk -v t="$elapsed" -v c="$1" -v n="$hosts" -v a="$accepted" -v h="$hops" 'BEGIN { print 1e3 * t / (c * n * a * (h + 1)) }'
}

# Runs mopsim on the topology `spec` with the rule `routing`, for ten times the cycles, since it would otherwise end in some hundredths of a
# second. Leaves `accepted`, `hops` and `hosts`, and in `our_time` the time per passage.
run_mopsim() {
  local command=("$mopsim" packets "$spec" --no-config -q --format json --threads 1 --routing "$routing" --pattern uniform --load "$load"
    --mode throughput --no-saturation --vcs 4 --vc-buffer 8 --packet 1 --warmup 0 --measure "$((10 * cycles))")
  [[ $spec = *:path=* ]] || command+=(--hosts-per-switch "$per_switch")
  spent "${command[@]}"
  succeeded mopsim
  read -r accepted hops hosts < <(awk -F'[:,]' '
    /"accepted":/ { a = $2 } /"hops_mean":/ { h = $2 } /"hosts":/ { n = $2 } END { print a, h, n + 0 }' "$work/out")
  positive "$accepted" "$hops" "$hosts"
  our_time=$(per_passage "$((10 * cycles))")
}

# Prints the heading of the table; the column of the other simulator has this name.
heading() { printf '%-26s %5s %6s %8s %10s %9s %7s %17s\n' network load cycles passages "$1" mopsim/ns ratio 'of each pair'; }

# Prints the row of a network: passages per cycle, nanoseconds per passage of both, the median ratio, the smallest and the largest.
row() {
  printf '%-26s %5s %6d %8.0f %10.0f %9.0f %7.1f %17s\n' "$network" "$load" "$cycles" \
    "$(awk -v n="$hosts" -v a="$accepted" -v h="$hops" 'BEGIN { print n * a * (h + 1) }')" \
    "$(awk -v s="$(middle 2)" 'BEGIN { print s * 1e6 }')" "$(awk -v s="$(middle 1)" 'BEGIN { print s * 1e6 }')" "$(middle 3)" "$(spread %.1f)"
}
