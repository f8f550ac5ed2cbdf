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

mkdir -p dev/pts dev/shm etc home/user mnt opt proc root run srv tmp usr var/log var/tmp
chmod 1777 tmp var/tmp dev/shm
chmod 700 root

# The programs of the host, which only this mount keeps from being changed.
mount -o bind,ro /usr usr
for name in bin sbin lib lib32 lib64 libx32; do
    if [ -L "/$name" ]; then
        links="${links-} /$name"
    elif [ -d "/$name" ]; then
        mkdir "$name"
        mount -o bind,ro "/$name" "$name"
    fi
done
# shellcheck disable=SC2086 # No name in the list has a space.
[ -z "${links-}" ] || cp -P $links .

# What those programs look for.
for name in alternatives ssl; do
    if [ -d "/etc/$name" ]; then
        mkdir "etc/$name"
        mount -o bind,ro "/etc/$name" "etc/$name"
    fi
done
for name in ld.so.cache ld.so.conf ld.so.conf.d localtime nsswitch.conf resolv.conf terminfo; do
    [ ! -e "/etc/$name" ] || found="${found-} /etc/$name"
done
# shellcheck disable=SC2086
[ -z "${found-}" ] || cp -RP $found etc/

for name in null zero full random urandom tty ptmx; do
    : >"dev/$name"
    mount --bind "/dev/$name" "dev/$name"
done
mount --bind /dev/pts dev/pts
mount -t proc proc proc
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr

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
