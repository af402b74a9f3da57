#!/bin/bash
# Proves the README's promise: a new Debian 12 with nothing but make and git, a fresh clone of what
# is committed here, and then the commands given (by default `make demo` and `make test`), with their times.
#     sudo tools/fresh-machine.sh [COMMAND...]        KEEP=1 leaves the system for a look
#     sudo tools/fresh-machine.sh everything          all that the documents promise of a fresh clone
# Needs root and the package debootstrap. The new system takes its packages from where this one does.
# Another system: FRESH_SUITE=noble FRESH_MIRROR=<its archive> FRESH_COMPONENTS=main,universe.
set -euo pipefail
cd "$(dirname "$0")/.."
self=$PWD/tools/fresh-machine.sh
suite=${FRESH_SUITE:-bookworm}
commands=("$@")
[ ${#commands[@]} -gt 0 ] || commands=("make demo" "make test")
if [ "${commands[*]}" = everything ]; then
    commands=("make demo" "make test" "make install PREFIX=/opt/sinew" tests/install/install_test.sh
        "make gallery" "make bench" "make coverage" "make site")
fi

fail() {
    echo "fresh-machine: $*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail "must run as root"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
# In a mount namespace of its own nothing that is mounted here can reach the rest of the machine, and
# all of it is gone when the script ends, however it ends.
if [ -z "${SINEW_FRESH_INSIDE:-}" ]; then
    SINEW_FRESH_INSIDE=1 exec unshare --mount --propagation private -- "$self" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/sinew-fresh.XXXXXX")
root=$work/root
mounted=()
# Unmount before anything is removed, and never remove through a mount that stayed.
clean_up() {
    local i
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do
        umount "${mounted[i]}" || umount -l "${mounted[i]}"
    done
    if [ -n "${KEEP:-}" ]; then
        echo "the system is left in $root"
    else
        rm -rf --one-file-system "$work"
    fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

mount_in() { # mount_in TARGET MOUNT-ARGUMENTS...
    local target=$root$1
    shift
    mkdir -p "$target"
    mount "$@" "$target"
    mounted+=("$target")
}

# The address that this machine's own apt uses, if it knows the suite; else debootstrap's default.
own_mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$suite" '$1 == suite { print $2; exit }')
mirror=${FRESH_MIRROR:-$own_mirror}
# Releases newer than debootstrap itself are made like those before them.
recipe=""
if [ ! -e "/usr/share/debootstrap/scripts/$suite" ]; then recipe=/usr/share/debootstrap/scripts/gutsy; fi

echo "making $suite with make, git and ca-certificates ..."
SECONDS=0
debootstrap --variant=minbase --include=make,git,ca-certificates --components="${FRESH_COMPONENTS:-main}" \
    "$suite" "$root" ${mirror:+"$mirror"} ${recipe:+"$recipe"} >"$work/debootstrap.log" 2>&1 || {
    tail -n 20 "$work/debootstrap.log" >&2
    fail "debootstrap failed"
}
echo "made in $SECONDS s"

# How this machine reaches the network, the new one does too: names, proxies, certificates.
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
if [ -n "$own_mirror" ]; then
    rm -f "$root/etc/apt/sources.list"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        if [ -f "$file" ]; then cp "$file" "$root$file"; fi
    done
fi
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [ -f "$file" ] && grep -q Acquire "$file"; then cp "$file" "$root$file"; fi
done
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"

mount_in /proc -t proc proc
mount_in /sys -t sysfs -o ro sysfs
mount_in /dev --bind /dev
mount_in /dev/shm -t tmpfs tmpfs

git clone --quiet --no-local . "$root/root/sinew"

environment=(HOME=/root LANG=C.UTF-8 TERM=dumb
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt)
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
if registry=$(npm config get registry 2>/dev/null); then
    environment+=("npm_config_registry=$registry")
fi

failed=0
total=0
report=""
for command in "${commands[@]}"; do
    printf '\n==== fresh machine: %s ====\n' "$command"
    SECONDS=0
    outcome=passed
    if ! env -i "${environment[@]}" chroot "$root" /bin/sh -c "cd /root/sinew && $command"; then
        outcome=FAILED
        failed=1
    fi
    echo "==== $outcome: $command ($SECONDS s) ===="
    report+=$(printf '%8d s  %s  %s' "$SECONDS" "$outcome" "$command")$'\n'
    total=$((total + SECONDS))
done
printf '\n%s%8d s  in all\n' "$report" "$total"
exit $failed
