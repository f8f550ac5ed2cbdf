# Builds the root of a sandbox in directory $1 and waits in it as its first
# process. Runs in mount and pid namespaces of its own; $2 is `root` where the
# caller may give files to other users. Ends when standard input ends.
set -eu
cd "$1"

# Read before the new /proc hides it: this process as the host numbers it.
read -r host _ </proc/self/stat

# The own mount makes what follows private to this root.
mount --bind . .
cd "$1"

show() {
    if [ -L "/$1" ]; then
        cp -P "/$1" "$1"
    elif [ -d "/$1" ]; then
        mkdir -p "$1"
        mount --bind "/$1" "$1"
        mount -o remount,bind,ro "$1"
    elif [ -e "/$1" ]; then
        : >"$1"
        mount --bind "/$1" "$1"
        mount -o remount,bind,ro "$1"
    fi
}

mkdir dev etc home mnt proc root run srv tmp usr var home/user dev/pts
for name in usr bin sbin lib lib32 lib64 libx32 opt; do show "$name"; done
for name in alternatives ssl ca-certificates ld.so.cache ld.so.conf ld.so.conf.d localtime \
    nsswitch.conf perl python3 python3.11 resolv.conf terminfo; do show "etc/$name"; done
for name in null zero full random urandom tty ptmx; do
    : >"dev/$name"
    mount --bind "/dev/$name" "dev/$name"
done
mount --bind /dev/pts dev/pts
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mkdir dev/shm var/tmp var/log
chmod 1777 tmp var/tmp dev/shm
chmod 700 root
mount -t proc proc proc

printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'user:x:1000:1000::/home/user:/bin/bash' \
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' >etc/passwd
printf '%s\n' 'root:x:0:' 'user:x:1000:' 'nogroup:x:65534:' >etc/group
printf '%s\n' '127.0.0.1 localhost' '::1 localhost' >etc/hosts
echo e2b >etc/hostname
: >etc/profile
[ "$2" != root ] || chown 1000:1000 home/user

# Orphans that end are to vanish at once, as under a real first process. That
# the root stands is told from inside it.
trap '' CHLD
exec chroot . /bin/sh -c 'echo "$1" && exec /bin/cat >/dev/null 2>&1' sh "$host"
