# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# apt in a separate root, with one architecture and one Debian release: the host's dpkg is not involved, and root is not needed.
# Sourced. TPROF_DEBIAN_MIRROR overrides the mirror, which is otherwise the first in the host's own apt sources.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The mirror of the host, if it is a Debian that asks one; apt reads the host's files here.
mirror() {
	local found=${TPROF_DEBIAN_MIRROR-}
	# shellcheck disable=SC2016 # apt fills these in
	[ -n "$found" ] ||
		found=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' \
			2>/dev/null | sed -n 's|^\([a-z+]*://[^ ]*/debian/*\) [a-z]* main$|\1|p' | head -n 1)
	echo "${found:-http://deb.debian.org/debian}"
}

# apt_tool TOOL ARGUMENT...: apt-get or apt-cache in $apt_root. The host's apt.conf.d is read before (proxies stand there).
apt_tool() {
	local tool=$1
	shift
	"$tool" -qq -o "Dir=$apt_root" -o "Dir::Etc=$apt_root/etc/apt" -o Dir::Etc::sourceparts=- \
		-o "Dir::State::status=$apt_root/var/lib/dpkg/status" \
		-o "Dir::Cache::archives=$apt_root/var/cache/apt/archives" \
		-o "APT::Architecture=$apt_architecture" -o "APT::Architectures::=$apt_architecture" \
		-o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 \
		-o APT::Install-Recommends=false "$@" </dev/null
}

# apt_begin ROOT ARCHITECTURE RELEASE: makes the root and reads the lists of packages.
apt_begin() {
	apt_root=$1 apt_architecture=$2
	mkdir -p "$apt_root"/etc/apt/{preferences.d,trusted.gpg.d} "$apt_root"/var/lib/{dpkg,apt/lists/partial} \
		"$apt_root"/var/cache/apt/archives/partial || return 1
	: >"$apt_root/var/lib/dpkg/status"
	echo "deb [signed-by=$keyring] $(mirror) $3 main" >"$apt_root/etc/apt/sources.list"
	apt_tool apt-get update >&2
}

# keep_used FOLDER: an entry of a cache that is used now. Others that were not used for a month are removed.
keep_used() {
	touch "$1" && find "$(dirname "$1")" -mindepth 1 -maxdepth 1 -mtime +30 -regextype posix-extended \
		-regex '.*/([a-z0-9_]+-[a-z0-9]+-[0-9a-f]{12}|making\.[A-Za-z0-9]{6})' -exec rm -rf {} +
}
