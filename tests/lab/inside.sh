# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the scripts of the machines share; sourced. A script checks with `ok` and ends with `done_testing`; files that it leaves in /out
# come back to the host. busybox's commands are all that there is beside tprof.

count=0

# ok NAME COMMAND...: a test that passes when the command does; the output of one that fails is shown.
ok() {
	name=$1
	shift
	count=$((count + 1))
	if "$@" >/tmp/said 2>&1; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		{
			echo "$*"
			tail -n 40 /tmp/said
		} | sed 's/^/# /'
	fi
}

# same WANTED GOT, near WANTED GOT SHARE: the last within SHARE of the first.
same() {
	echo "wanted: $1, got: $2"
	[ "$1" = "$2" ]
}
near() {
	echo "wanted: $1 within $3, got: $2"
	awk -v wanted="$1" -v got="$2" -v share="$3" 'BEGIN { d = got - wanted; exit !(got != "" && (d < 0 ? -d : d) <= share * wanted) }'
}

# ends STATUS ARGUMENT...: tprof ends so; its output is in /tmp/out and /tmp/err.
ends() {
	wanted=$1
	shift
	tprof "$@" >/tmp/out 2>/tmp/err
	status=$?
	echo "status $status, wanted $wanted"
	tail -n 15 /tmp/out /tmp/err
	[ $status -eq "$wanted" ]
}

# says PATTERN: the last command of `ends` did.
says() {
	tail -n 30 /tmp/out /tmp/err
	cat /tmp/out /tmp/err | grep -qE -e "$1"
}

# column NAME [FILE]: a column of CSV, of what the last command printed if no file is named. Quoted values are single words without commas:
# spaces stand in their place.
column() {
	awk -v name="$1" '
		{
			text = ""
			n = split($0, part, "\"")
			for (i = 1; i <= n; i++) {
				if (i % 2 == 0)
					gsub(",", " ", part[i])
				text = text part[i]
			}
			n = split(text, field, ",")
		}
		NR == 1 { for (i = 1; i <= n; i++) if (field[i] == name) at = i; next }
		{ print field[at] }' "${2:-/tmp/out}"
}

# cpus LIST: "0-2,5" of the kernel as "0 1 2 5".
cpus() {
	echo "$1" | tr ',' '\n' | awk -F- 'NF { for (i = $1; i <= $NF; i++) printf "%s%d", n++ ? " " : "", i } END { print "" }'
}

# of_cpu N FILE, of_node N FILE: one line of the kernel about it.
of_cpu() {
	cat "/sys/devices/system/cpu/cpu$1/$2"
}
of_node() {
	cat "/sys/devices/system/node/node$1/$2"
}

# how_many WORD...; distinct FILE CPU...: how many values that file has over these CPUs.
how_many() {
	echo $#
}
distinct() {
	file=$1
	shift
	for cpu in "$@"; do
		of_cpu "$cpu" "$file"
	done | sort -u | wc -l
}

# await COMMAND...: until it succeeds, for a minute at most.
await() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.2
	done
}

done_testing() {
	echo "1..$count"
}
