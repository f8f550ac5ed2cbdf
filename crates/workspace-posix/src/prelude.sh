LC_ALL=C TZ=UTC0
export LC_ALL TZ
unset CDPATH IFS
umask 022
w_nl='
'
w_A='//%f %s %u %g %d:%i %y %z//'
w_go() {
  w_keep=$1 w_i=0 w_k=d w_p=.
  shift
  for w_n do
    case $w_k in f | o | s) w_k=n; break ;; esac
    [ -x "$w_p" ] || { w_k=p; break; }
    w_p=$w_n
    if [ -L "$w_p" ]; then
      w_k=l
      [ "$w_keep" = 1 ] && [ "$((w_i + 1))" -eq "$#" ] || break
      w_k=s
    elif [ -d "$w_p" ]; then w_k=d
    elif [ -f "$w_p" ]; then w_k=f
    elif [ -e "$w_p" ]; then w_k=o
    else w_k=m; break
    fi
    w_i=$((w_i + 1))
  done
  w_h="$w_k $w_i$w_nl"
  [ "$w_k" != l ] || { w_flush; readlink -n -- "$w_p"; }
}
# Each write wakes everybody on the way to the caller: what belongs together is said at once.
# w_h: what is still to be said. w_end: the end of the answer, where an act may say it.
w_tell() {
  printf '%s\n' "$w_h$1"
  w_h=
}
w_flush() {
  [ -z "$w_h" ] || printf %s "$w_h"
  w_h=
}
# A process less than catching the words of each command: one that fails is asked again for them.
w_run() {
  "$@" || w_e=$("$@" 2>&1)
}
w_why() {
  case $1 in
    *"No space left"* | *"uota exceeded"*) w_tell 'E nospace' ;;
    *"Read-only file system"*) w_tell 'E readonly' ;;
    *"ermission denied"* | *"not permitted"*) w_tell 'E perm' ;;
    *"name too long"*) w_tell 'E long' ;;
    *"not empty"*) w_tell 'E notempty' ;;
    *"No such file"* | *"nonexistent directory"*) w_tell 'E gone' ;;
    *) w_tell 'E io' ;;
  esac
}
# Keeps a program beside this shell that says what `stat` says and moves files: a process less
# for each of them. The names of its pipes are gone before the first question.
w_open() {
  for w_d in "/tmp/$3$$" "/dev/shm/$3$$"; do
    mkdir -m 700 "$w_d" && mkfifo "$w_d/ask" "$w_d/answer" || { rmdir "$w_d"; continue; }
    perl -e "$1" "$2" <"$w_d/ask" >"$w_d/answer" &
    # Open for reading too: a question to a program that has ended ends nothing here.
    exec 8<>"$w_d/ask" 9<"$w_d/answer"
    w_aide=1
    rm -rf -- "$w_d"
    return
  done
}
# Asks it: the letter of the question, then one path or two. Fails where there is no answer.
w_ask() {
  w_s=
  [ "$w_aide" = 1 ] || return
  printf '%s\0' "$@" >&8 && IFS= read -r w_s <&9 || w_aide=0
  [ -n "$w_s" ]
}
# It comes last in its script.
w_stat() {
  if w_ask "N$w_p"; then
    printf '%s\n' "$w_h$w_s$w_p${w_end:+$w_nl$w_end}"
    w_h= w_end=
  elif [ -n "$w_end" ]; then stat -c "$w_h$w_A%n$w_nl$w_end" -- "$w_p" && w_h= w_end=
  else
    w_flush
    stat -c "$w_A%n" -- "$w_p"
  fi
}
w_list() {
  [ "$w_k" = d ] || return
  [ -r "$w_p" ] && [ -x "$w_p" ] || { w_tell 'E perm'; return; }
  w_flush
  set -- "$w_p"/.* "$w_p"/*
  if [ "$#" -gt 200 ]; then printf '%s\0' "$@" | xargs -0 stat -c "$w_A%n" --
  else stat -c "$w_A%n" -- "$@"
  fi
}
w_read() {
  [ "$w_k" = f ] || return
  [ -r "$w_p" ] || { w_tell 'E perm'; return; }
  { w_send "$@" </dev/null || w_tell 'E gone'; } 3<"$w_p"
}
w_send() {
  if w_ask "L/proc/$$/fd/3"; then :
  elif [ "$w_fd" = 1 ]; then w_s=$(stat -L -c "$w_A" /proc/self/fd/3)
  else w_s=$(stat -c "$w_A" -- "$w_p")
  fi
  [ -n "$w_s" ] || return
  w_z=${w_s#* } w_z=${w_z%% *}
  [ -z "$3" ] || [ "$w_z" -le "$3" ] || { w_tell "$w_s${w_nl}big"; return; }
  w_tell "$w_s${w_nl}data"
  case $1,$2 in
    1,) cat <&3 ;;
    1,*) head -c "$2" <&3 ;;
    *,) tail -c "+$1" <&3 ;;
    *) tail -c "+$1" <&3 | head -c "$2" ;;
  esac
  :
}
w_can() {
  w_old= w_v=
  case $w_k in
    d) w_tell 'E dir'; return 1 ;;
    o) w_tell 'E other'; return 1 ;;
    f)
      w_ask "C$w_p" || w_s=$(stat -c '%a %d:%i %s %y %z' -- "$w_p")
      w_old=${w_s%% *} w_v=${w_s#* }
      case $w_old in
        *[2367]??) [ -w "$w_p" ] ;;
        *) false ;;
      esac || { w_tell 'E perm'; return 1; }
      case $1 in
        any) ;;
        version) [ "$w_v" = "$2" ] ;;
        sha256) w_sum=$(sha256sum <"$w_p") && [ "${w_sum%% *}" = "$2" ] ;;
        *) false ;;
      esac || { w_tell 'E conflict'; return 1; } ;;
    m)
      case $1 in
        any | absent) ;;
        *) w_tell 'E conflict'; return 1 ;;
      esac ;;
    *) return 1 ;;
  esac
}
w_parents() {
  [ "$w_k" = m ] && [ "$w_p" != "$1" ] || return 0
  [ "$2" = 1 ] || { w_tell 'E parent'; return 1; }
  w_e=$(mkdir -p -- "${1%/*}" 2>&1) || { w_why "$w_e"; return 1; }
}
w_fill() {
  case ${2:-${w_old:-644}} in
    644) ;;
    *) umask 077 ;;
  esac
  w_take "$1"
}
# Builtins run in this shell; what else fills a file has words to be caught.
w_take() {
  if [ "$w_quick" = 1 ]; then
    w_e=
    w_in >>"$1"
  else w_e=$(w_in 2>&1 >>"$1")
  fi
  w_r=$?
  umask 022
  w_took "$1" || { rm -f -- "$1"; return 1; }
}
# Moves a temporary file to its place without a process, where that can be done.
w_moved() {
  [ "$w_aide" = 1 ] || return
  case $2 in
    absent) w_ask "A$1" "$w_p" ;;
    *) w_ask "R$1" "$w_p" ;;
  esac && return
  # It may have ended between the move and its answer.
  [ "$w_aide" = 0 ] && [ ! -e "$1" ]
}
w_commit() {
  w_m=${2:-$w_old} w_r=0
  [ "${w_m:-644}" = 644 ] && [ "$5" = 0 ] || w_run chmod "${w_m:-644}" -- "$1" || {
    w_why "$w_e"
    rm -f -- "$1"
    return
  }
  [ "$4" = 0 ] || sync -d -- "$1" || sync
  w_at=1
  if w_moved "$1" "$3"; then :
  elif [ "$3" = absent ]; then
    ln -- "$1" "$w_p"
    w_r=$?
    if [ "$w_r" != 0 ] && [ ! -e "$w_p" ] && [ ! -L "$w_p" ]; then
      w_run mv -f $w_T -- "$1" "$w_p"
      w_r=$?
    elif [ "$w_r" != 0 ]; then
      w_tell 'E conflict'
      rm -f -- "$1"
      return
    else rm -f -- "$1"
    fi
  else
    w_run mv -f $w_T -- "$1" "$w_p"
    w_r=$?
    if [ "$w_r" != 0 ] && [ "$w_k" = f ] && [ "$6" = preferred ]; then
      w_e=$(cat -- "$1" 2>&1 >"$w_p")
      w_r=$? w_at=0
      rm -f -- "$1"
    fi
  fi
  [ "$w_r" = 0 ] || { w_why "$w_e"; rm -f -- "$1"; return; }
  [ "$4" != 2 ] || sync -- "${w_p%/*}" || sync
  case $w_k in
    m) w_h="${w_h}W 1 $w_at$w_nl" ;;
    *) w_h="${w_h}W 0 $w_at$w_nl" ;;
  esac
  w_stat
}
w_make() {
  case $w_k in
    d) w_tell 'M 0' ;;
    f | o) w_tell 'E exists' ;;
    m)
      w_parents "$1" "$2" || return
      w_e=$(mkdir -- "$1" 2>&1) && { w_tell 'M 1'; return; }
      if [ -d "$1" ]; then w_tell 'M 0'; else w_why "$w_e"; fi ;;
  esac
}
w_remove() {
  case $w_k,$1 in
    m,* | l,* | n,* | p,*) return ;;
    d,0) w_e=$(rmdir -- "$w_p" 2>&1) ;;
    d,1) w_e=$(rm -rf -- "$w_p" 2>&1) ;;
    *) w_e=$(rm -f -- "$w_p" 2>&1) ;;
  esac && { w_tell ok; return; }
  w_why "$w_e"
}
w_move() {
  w_e=$(mv -f $w_T -- "$1" "$2" 2>&1) && { w_tell ok; return; }
  w_why "$w_e"
}
w_add() {
  umask 077
  w_take "$1"
}
# busybox: base64 complains and ends with 0; head does not say that the disk is full.
w_took() {
  [ "$w_r" != 0 ] || [ -n "$w_e" ] || return 0
  w_why "$(dd if=/dev/zero bs=65536 count=1 2>&1 >>"$1") $w_e"
  w_r=1
  return 1
}
