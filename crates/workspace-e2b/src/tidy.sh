( for w_left in /tmp/.workspace-* /dev/shm/.workspace-*; do
    [ -O "$w_left" ] || [ -L "$w_left" ] || continue
    [ -n "$(find "$w_left" -prune -mmin +60)" ] || continue
    if [ -d "$w_left" ] && [ ! -L "$w_left" ]; then
      w_pid=
      read -r w_pid <"$w_left/pid"
      [ -n "$w_pid" ] && [ -d "/proc/$w_pid" ] || rm -rf "$w_left"
    else rm -f "$w_left"
    fi
  done ) >/dev/null 2>&1 </dev/null &
