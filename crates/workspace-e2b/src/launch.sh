w_pause() {
  sleep "$1" 2>/dev/null || sleep 1
}
# Sends a signal to all that carry the brand, again and again until none is left.
w_hit() {
  w_seen=' ' w_count=0 w_turn=0
  while [ "$w_turn" -lt "$2" ]; do
    w_turn=$((w_turn + 1)) w_found=0
    for w_proc in /proc/[0-9]*; do
      [ -O "$w_proc" ] || continue
      w_pid=${w_proc#/proc/} w_yes=0
      while read -r w_a w_b w_c w_d w_rest; do
        case "$w_a $w_b $w_c" in
          'Max resident set') [ "$w_d" != "$w_bytes" ] || w_yes=1; break ;;
        esac
      done <"$w_proc/limits"
      [ "$w_yes" = 1 ] && kill "-$1" "$w_pid" || continue
      w_found=1
      case $w_seen in
        *" $w_pid "*) ;;
        *) w_seen="$w_seen$w_pid " w_count=$((w_count + 1)) ;;
      esac
    done
    [ "$w_found" = 1 ] || break
  done 2>/dev/null
}
# Politely, then for good.
w_stop() {
  if [ "$w_grace" -gt 0 ]; then
    w_hit 15 1
    w_left=$((w_grace / 50 + 1))
    while [ "$w_found" = 1 ] && [ "$w_left" -gt 0 ]; do
      w_pause 0.05
      w_left=$((w_left - 1))
      # Who waits for this sees that it goes on.
      printf .
      w_hit 0 1
    done
  fi
  w_hit 9 50
}
# Passes an output on as it comes, and keeps what came last in files named by their first byte.
w_pump() {
  exec 6>&1 5>&-
  w_s=$1 w_at=0 w_part=0 w_file=$w_dir/$1.0 w_files=$w_dir/$1.0
  while :; do
    w_said=$({ LC_ALL=C dd bs=65536 count=128 2>&3 3>&- 6>&- | tee -a "$w_file" 2>/dev/null >&6 3>&- 6>&-; } 3>&1)
    w_kept=$?
    # `0+2 records in`, `0+2 records out`, `36 bytes`, perhaps behind a warning.
    w_in=${w_said%% records in*} w_said=${w_said##*records out}
    w_in=${w_in##*[!0-9+]}
    set -- $w_said
    case $1,$w_in in
      0,* | *[!0-9]*,* | ,*) break ;;
    esac
    w_at=$((w_at + $1)) w_part=$((w_part + $1))
    [ "$((${w_in%+*} + ${w_in#*+}))" = 128 ] || break
    # A file that does not hold all is none: the disk was full.
    [ "$w_kept" = 0 ] || { rm -f "$w_file"; w_part=$w_most; }
    if [ "$w_part" -ge "$w_most" ]; then
      w_file=$w_dir/$w_s.$w_at w_part=0 w_files="$w_files $w_dir/$w_s.$w_at"
      set -- $w_files
      [ "$#" -le 4 ] || { rm -f "$1"; shift; w_files=$*; }
    fi
  done
}
w_child() {
  ulimit -m "$w_brand" 2>/dev/null
  w_line
}
w_program() {
  # A shell tells of signals on its own standard error.
  exec 8>&2 2>/dev/null
  w_timer=
  if [ -n "$w_limit" ]; then
    (
      trap 'kill "$w_nap"; exit' TERM
      sleep 0.001 || w_limit=$((${w_limit%.*} + 1))
      sleep "$w_limit" &
      w_nap=$!
      wait "$w_nap"
      trap '' TERM
      : >"$w_dir/late"
      w_stop
    ) >/dev/null </dev/null 5>&- 8>&- &
    w_timer=$!
  fi
  w_take 5>&-
  w_code=$? w_late=0 w_count=0
  [ -z "$w_hold" ] || kill "$w_hold"
  rm -f "$w_dir/in" "$w_dir/hold"
  if [ -e "$w_dir/late" ]; then
    w_late=1
    wait "$w_timer"
  elif [ -n "$w_timer" ]; then
    kill "$w_timer"
  fi
  [ "$w_clean" = 0 ] || w_hit 9 50
  printf %s "$w_mark" >&8
  printf '%s%s %s %s;' "$w_mark" "$w_code" "$w_count" "$w_late"
  : >"$w_dir/over"
}
w_launch() {
  echo $$ >"$w_dir/pid"
  w_hold=
  w_ready
  printf +
  { { w_program 2>&1 >&4 4>&- | w_pump e >&5 4>&-; } 4>&1 | w_pump o; } 5>&2
}
# Tells what of an output lies behind an offset.
w_more() {
  w_off=$2 w_beyond=0
  for w_file in "$w_dir/$1".*; do
    w_first=${w_file##*.}
    [ "$w_first" -ge 0 ] 2>/dev/null || continue
    [ "$w_first" -le "$w_off" ] || { w_beyond=1; continue; }
    w_size=$(stat -c %s -- "$w_file" 2>/dev/null) || continue
    w_end=$((w_first + w_size))
    [ "$w_end" -gt "$w_off" ] || continue
    tail -c "+$((w_off - w_first + 1))" -- "$w_file" | head -c "$((w_end - w_off))"
    w_off=$w_end w_new=1
  done
  [ "$w_beyond" = 0 ] || [ "$w_off" != "$2" ] || exit 3
}
# Goes on where another stream broke off. 3: that part is not there any more. 4: nobody will write more.
w_follow() {
  printf =
  w_quiet=0
  while :; do
    w_new=0
    w_more o "$w_out"
    w_out=$w_off
    w_more e "$w_err" >&2
    w_err=$w_off
    w_quiet=$((w_quiet + 1))
    [ "$w_new" = 0 ] || { w_quiet=0; continue; }
    w_pid=
    read -r w_pid 2>/dev/null <"$w_dir/pid"
    if [ "$w_quiet" -ge 20 ]; then
      [ ! -e "$w_dir/over" ] || exit 0
      if [ -n "$w_pid" ]; then
        [ -d "/proc/$w_pid" ] || exit 4
      else
        # It is about to be written, or another read all and what was kept is swept away.
        [ "$w_quiet" -lt 100 ] || exit 4
      fi
    fi
    w_pause 0.1
  done
}
w_place() {
  for w_dir in "/tmp/$w_name" "/dev/shm/$w_name"; do
    [ ! -d "$w_dir" ] || return 0
  done
  return 1
}
w_make() {
  for w_dir in "/tmp/$w_name" "/dev/shm/$w_name"; do
    mkdir -m 700 "$w_dir" 2>/dev/null && return
    [ ! -d "$w_dir" ] || return 1
  done
  return 1
}
w_main() {
  if [ "$w_fresh" = 1 ] && ! w_place && w_make; then w_launch
  elif w_place; then w_follow
  elif [ "$w_fresh" = 1 ]; then printf '!'
  else printf -- -
  fi
}
# A start that arrives later finds its name taken, and starts nothing.
w_kill() {
  w_place || { w_make && : >"$w_dir/over"; }
  w_round=0
  w_stop
  while [ -e "$w_dir/pid" ] && [ ! -e "$w_dir/over" ] && [ "$w_round" -lt 20 ]; do
    w_round=$((w_round + 1))
    w_pause 0.05
    printf .
    w_hit 9 50
  done
  echo done
}
