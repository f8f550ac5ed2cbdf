# Kills what a host leaves behind when it ends without a word.
#
# Standard input is a pipe that the host holds open and never writes to. Standard
# output is a table that the host keeps: a process number a line, or a blank line.
# The first argument is the directory of its control groups, or nothing.
read -r _

[ -n "$1" ] && echo 1 >"$1/cgroup.kill"

ours=' '
while read -r pid; do
    [ -n "$pid" ] && ours="$ours$pid "
done <&1

# Everything that hangs on a process of ours is ours: its children, its group,
# its session. The look is repeated until it finds nothing new; so is the kill,
# because a new one may have been born before it.
kill_families() {
    killed=
    rounds=20
    while [ $rounds -gt 0 ]; do
        found=
        for stat in /proc/[0-9]*/stat; do
            read -r line <"$stat" || continue
            pid=${line%% *}
            case $ours in *" $pid "*) continue ;; esac
            # State, parent, group, session …: they follow the last bracket of the name.
            set -- ${line##*) }
            case $ours in *" $2 "* | *" $3 "* | *" $4 "*)
                ours="$ours$pid "
                found=yes
                ;;
            esac
        done
        if [ -n "$found" ]; then
            killed=
        elif [ -n "$killed" ]; then
            return
        else
            kill -KILL $ours
            killed=yes
        fi
        rounds=$((rounds - 1))
    done
}

if [ "$ours" != ' ' ]; then
    # Where /proc counts processes otherwise than we do, its numbers say nothing.
    read -r me _ </proc/self/stat
    if [ "$me" = $$ ]; then
        kill_families
    else
        for pid in $ours; do kill -KILL "-$pid"; done
    fi
fi

# A control group can be removed once its last member is gone.
tries=100
while [ -n "$1" ] && [ -d "$1" ] && [ $tries -gt 0 ]; do
    for group in "$1"/*/; do rmdir "$group"; done
    rmdir "$1" || sleep 0.05
    tries=$((tries - 1))
done
