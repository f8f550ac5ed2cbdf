# The first process of a namespace. It waits on a line that the host holds; when that
# closes it ends, and everything in the namespace with it.
trap '' CHLD
read -r word
[ "$word" = stay ] || exit
# The program has ended, and what it has left behind may live on, without the host too.
trap - CHLD
while sleep 1; do
    set -- /proc/[0-9]*
    [ $# -gt 1 ] || exit
done
