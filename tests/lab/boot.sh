# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Boots a machine of the lab from a build; sourced by run.sh. Everything is in software (-accel tcg): no /dev/kvm, no root, no network.
# Kernels and busybox are packages of Debian, unpacked in $cache.

# lab_architecture NAME: what differs between architectures.
#   lab_debian, lab_suite, lab_kernel  the Debian architecture, its release, the name of its kernel package after "linux-image-"
#   lab_console                        the kernel's name of the serial port; on x86-64 a busy host would make its test of timers fail
lab_architecture() {
	lab_suite=bookworm
	case $1 in
	x86_64) lab_debian=amd64 lab_kernel=cloud-amd64 lab_console='ttyS0 no_timer_check' ;;
	aarch64) lab_debian=arm64 lab_kernel=cloud-arm64 lab_console=ttyAMA0 ;;
	riscv64) lab_debian=riscv64 lab_kernel=riscv64 lab_console=ttyS0 lab_suite=trixie ;;
	*) return 1 ;;
	esac
}

# Modules in the order in which they need each other; a kernel that has one built in has no such file. Every machine loads those of the
# disk and the network.
always='virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk failover net_failover virtio_net'
nfs='netfs fscache grace sunrpc lockd auth_rpcgss nfs_acl nfsd dns_resolver nfs nfsv4'
modules="$always $nfs"

# boot_files ARCHITECTURE: kernel and busybox, fetched once a month; $files is their folder. Without a network it is an older one.
boot_files() {
	local key work
	lab_architecture "$1" || return 1
	key=$({ declare -f fetch_files take_modules lab_architecture && echo "$modules"; } | sha256sum | cut -c 1-12)
	files=$cache/$1-$(date +%Y%m)-$key
	if [ ! -d "$files" ]; then
		mkdir -p "$cache" && work=$(mktemp -d "$cache/making.XXXXXX") || return 1
		fetch_files "$work" && mv -T "$work/files" "$files" 2>/dev/null
		rm -rf "$work"
	fi
	[ -d "$files" ] || files=$(find "$cache" -maxdepth 1 -name "$1-*-$key" | sort | tail -n 1)
	[ -d "$files" ] && keep_used "$files"
}

# fetch_files WORK: into WORK/files, by the words of lab_architecture.
fetch_files() {
	local work=$1 package
	apt_begin "$work/apt" "$lab_debian" "$lab_suite" &&
		package=$(apt_tool apt-cache depends "linux-image-$lab_kernel" | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p') &&
		(cd "$work" && apt_tool apt-get download "$package" busybox-static) >&2 || return 1
	for package in "$work"/*.deb; do
		dpkg-deb -x "$package" "$work/tree" || return 1
	done
	mkdir -p "$work/files"
	cp "$work"/tree/boot/vmlinu* "$work/files/kernel" && take_modules "$work/tree" "$work/files/modules" || return 1
	cp "$work/tree/bin/busybox" "$work/files" 2>/dev/null || cp "$work/tree/usr/bin/busybox" "$work/files"
}

# take_modules TREE TO: numbered in the order of loading.
take_modules() {
	local name file number=10
	mkdir "$2" || return 1
	for name in $modules; do
		file=$(find "$1" -name "$name.ko*" | head -n 1)
		case $file in
		'') continue ;;
		*.xz) xz -dc "$file" >"$2/$number-$name.ko" || return 1 ;;
		*) cp "$file" "$2/$number-$name.ko" || return 1 ;;
		esac
		number=$((number + 1))
	done
}

# put_program FILE LIBRARIES ROOT: copies a program's libraries, and theirs, where a loader looks. LIBRARIES are folders.
put_libraries() {
	local file=$1 libraries=$2 root=$3 needed folder
	for needed in $(readelf -Wd "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') \
		$(readelf -Wl "$file" 2>/dev/null | sed -n 's|.*program interpreter: .*/\(.*\)\]|\1|p'); do
		[ -e "$root/lib/$needed" ] && continue
		for folder in $libraries; do
			[ -e "$folder/$needed" ] || continue
			cp -L "$folder/$needed" "$root/lib/$needed" || return 1
			put_libraries "$folder/$needed" "$libraries" "$root" || return 1
			break
		done
		[ -e "$root/lib/$needed" ] || {
			echo "lab: there is no $needed in $libraries" >&2
			return 1
		}
	done
}

# compile BUILD ROOT: programs of the tests, by the compiler of the build.
compile() {
	local cc
	read -ra cc <<<"$(sed -n 's/^CC = //p; s/^CPPFLAGS = //p; s/^LDFLAGS = //p' "$1/Makefile" | xargs)"
	"${cc[@]}" -O1 -o "$2/usr/bin/known" "$here/known.c" || return 1
	[ -z "$mpicc" ] || "$mpicc" -O2 -I"$here/../../include" -o "$2/usr/bin/ranks" "$here/../bench/app/ranks.c"
}

# make_root BUILD LIBRARIES ROOT: what a machine's memory file system has: busybox, tprof with its libraries and presets, the tests.
make_root() {
	local build=$1 libraries=$2 root=$3 prefix module
	prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
	mkdir -p "$root"/{bin,lib,etc,usr/bin,lab/modules} "$root$prefix"/{lib,share}/tprof || return 1
	ln -s lib "$root/lib64"
	cp "$files/busybox" "$root/bin/" && cp "$here/init" "$root/init" && chmod +x "$root/init" "$root/bin/busybox" || return 1
	cp "$build/tprof" "$root/usr/bin/" && cp -r "$here/../../presets" "$root$prefix/share/tprof/" || return 1
	cp "$here/inside.sh" "$here/hosts.sh" "$here/../cluster/slurm.conf" "$root/lab/" || return 1
	for module in $always $own_modules; do
		cp "$files/modules"/*-"$module.ko" "$root/lab/modules/" 2>/dev/null
	done
	find "$build/" -maxdepth 1 -name 'libtprof-*.so' -exec cp {} "$root$prefix/lib/tprof/" \;
	compile "$build" "$root" || return 1
	echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
	put_libraries "$build/tprof" "$libraries" "$root" || return 1
	[ -z "$mpicc" ] || put_libraries "$root/usr/bin/ranks" "$libraries" "$root" || return 1
	# One key for all hosts.
	[[ $programs != *ssh-keygen* ]] || ssh-keygen -q -t ed25519 -N '' -f "$root/lab/key" || return 1
	# shellcheck disable=SC2086 # words
	[ -z "$programs" ] || put_programs "$root" "$libraries" $programs || return 1
	find "$root/lib" "$root/usr/bin" "$root$prefix/lib" -type f -exec "$strip" {} +
}

# put_programs ROOT LIBRARIES FILE...: programs of this machine, each where it is here.
put_programs() {
	local root=$1 libraries=$2 file
	shift 2
	for file in "$@"; do
		mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file" && put_libraries "$file" "$libraries" "$root" || return 1
	done
}

# emulate FOLDER LIMIT ARCHITECTURE HOST OPTION...: in a subshell. HOST counts from 1; hosts of one folder share a network.
emulate() {
	local folder=$1 limit=$2 architecture=$3 host=$4
	shift 4
	exec timeout --kill-after=10 "$limit" nice "qemu-system-$architecture" -accel tcg "$@" -nodefaults -display none -no-reboot \
		-serial "file:$folder/console.$host" -kernel "$files/kernel" -initrd "$folder/initrd" \
		-append "console=$lab_console panic=-1 loglevel=4 lab.host=$host" \
		-drive "file=$folder/disk.$host,format=raw,if=virtio" >>"$folder/console.$host" 2>&1 </dev/null
}

# boot FOLDER LIMIT ARCHITECTURE HOSTS OPTION...: boots what lies in FOLDER/root, once or as two hosts that are joined; FOLDER/out has what
# came back of the first host, FOLDER/console.HOST what each wrote there.
boot() {
	local folder=$1 limit=$2 architecture=$3 hosts=$4 status host other pids
	shift 4
	lab_architecture "$architecture" || return 1
	(cd "$folder/root" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$folder/initrd" || return 1
	mkdir -p "$folder/out" && truncate -s 64M "$folder/disk.1" "$folder/disk.2" || return 1
	if [ "$hosts" = 1 ]; then
		(emulate "$folder" "$limit" "$architecture" 1 "$@")
		status=$?
	else
		pids=()
		for host in 2 1; do
			other=$((3 - host))
			emulate "$folder" "$limit" "$architecture" $host "$@" \
				-netdev "dgram,id=net,local.type=unix,local.path=$folder/net.$host,remote.type=unix,remote.path=$folder/net.$other" \
				-device "virtio-net-pci,netdev=net,mac=52:54:00:00:00:0$host,romfile=" &
			pids+=($!)
		done
		wait "${pids[1]}" # the first host
		status=$?
		kill "${pids[0]}" 2>/dev/null
		wait
	fi
	tar -xf "$folder/disk.1" -C "$folder/out" 2>/dev/null
	rm -f "$folder/initrd" "$folder"/disk.[12]
	return $status
}
