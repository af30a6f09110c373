# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# --cluster ssh:FILE with a program in the place of ssh: it obeys as a host would, in a home of that host's own, or fails as ssh does.
mkdir bin
cat >bin/ssh <<'END'
#!/bin/sh
while [ "$1" != -- ]; do
	[ "$1" = -p ] && echo "$2" >>"$TMP/ports"
	shift
done
host=$2 command=$3
echo "$command" >>"$TMP/commands.$host"
case $host in
silent) echo "ssh: connect to host silent port 22: Connection timed out" >&2; exit 255 ;;
stranger) echo "Host key verification failed." >&2; exit 255 ;;
closed) echo "me@closed: Permission denied (publickey)." >&2; exit 255 ;;
bare) PATH=/nowhere:/usr/bin:/bin ;;
esac
mkdir -p "$TMP/hosts/$host" && cd "$TMP/hosts/$host" && exec /bin/sh -c "$command"
END
chmod +x bin/ssh
mkdir there
ln -s "$TPROF" there/tprof
export PATH=$TMP/bin:$TMP/there:$PATH

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB]
END
cat >hosts.txt <<'END'
# a comment
good	# the first
me@other:2222

silent
stranger
closed
bare
END
run --cluster ssh:hosts.txt --batch fast.yaml --simulate --run-dir many
expect_exit 3
expect_err 'good: done, 2 of 2 points'
expect_err 'other: done, 2 of 2 points'
expect_err 'silent: unreachable'
expect_err 'Connection timed out'
expect_err 'Host key verification failed'
expect_err 'Permission denied'
expect_err 'bare: failed'
expect_err 'there is no program tprof on the node'
[ "$(sort -u ports)" = 2222 ] || fail 'expected the port of the file'
for node in good other; do
	expect_file many/nodes/$node/journal.ndjson
	expect_cells point '0 1' many/nodes/$node/points.csv
	run --show many/nodes/$node --csv
	expect_exit 0
	expect_cells point '0 1'
done

# Later they can be reached: only what is missing is measured.
cp many/nodes/good/run.json good.before
# shellcheck disable=SC2016
printf '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nmkdir -p "$TMP/hosts/$2" && cd "$TMP/hosts/$2" && exec /bin/sh -c "$3"\n' >bin/ssh
run --resume ./many --allow-code
expect_exit 0
expect_not_err 'good:'
for node in silent stranger closed bare; do
	expect_err "$node: done, 2 of 2 points"
done
cmp -s good.before many/nodes/good/run.json || fail 'expected a node that is done to stay as it was'

# Nothing of a file reaches a shell.
# shellcheck disable=SC2016
for wrong in 'a;reboot' '-oProxyCommand=x' "$(printf 'a\033[31mb')" 'a b' 'a:0' 'a:99999' '@a' 'a@' '$(reboot)' 'é'; do
	printf 'good\n%s\n' "$wrong" >odd.txt
	run --cluster ssh:odd.txt --batch fast.yaml --simulate
	expect_exit 2
	expect_err 'odd.txt:2: '
done
printf 'good\nyou@good\n' >odd.txt
run --cluster ssh:odd.txt --batch fast.yaml
expect_exit 2
expect_err 'odd.txt:2: "good": this node is there twice'
# What a file may hold besides: line ends of Windows, blanks, comments, IPv6 addresses, no line end at the last line.
printf '\t good \r\n\r\n  # none\r\nme@[2001:db8::7]:22\n[::1]' >odd.txt
run --cluster ssh:odd.txt --dry-run fast.yaml
expect_exit 0
[ "$(wc -l <out)" -eq 3 ] || fail 'expected a command for each of three hosts'
expect_out ' -- good '
expect_out ' -l me -p 22 -- 2001:db8::7 '
expect_out '/ip6-2001-db8--7'
expect_out ' -- ::1 '
# shellcheck disable=SC2016
for wrong in '::1' '[::1' '[good]' '[::1%;x]' '[-oProxyCommand=x]' '-oProxyCommand=x@good' 'good:' 'good:22x' "$(printf '\357\273\277good')" \
	"$(printf 'x%.0s' {1..1025})" "$(printf 'x%.0s' {1..100})"; do
	printf '\n%s\n' "$wrong" >odd.txt
	run --cluster ssh:odd.txt --dry-run fast.yaml
	expect_exit 2
	expect_err 'odd.txt:2: '
	expect_err 'one host a line: '
done
printf 'good\0;x\n' >odd.txt
run --cluster ssh:odd.txt --dry-run fast.yaml
expect_exit 2
expect_err 'odd.txt:1: '
mkfifo pipe
for wrong in pipe /dev/zero /dev/null .; do
	run --cluster ssh:$wrong --dry-run fast.yaml
	expect_exit 2
	expect_err 'give a regular file'
done
yes '# endless' | head -c 5000000 >long.txt
run --cluster ssh:long.txt --dry-run fast.yaml
expect_exit 2
expect_err 'longer than the 4194304 bytes allowed'
echo '# none' >odd.txt
run --cluster ssh:odd.txt --batch fast.yaml
expect_exit 2
expect_err 'names no host'
run --cluster ssh:nosuch.txt --batch fast.yaml
expect_exit 2
run --cluster ssh:hosts.txt --batch fast.yaml --program 'x;y' --simulate
expect_exit 2
expect_err 'a character that a shell may act on'
run --cluster ssh:hosts.txt --nodes good,nosuch --dry-run fast.yaml
expect_exit 2
expect_err 'there is no node "nosuch"'
run --cluster ssh:hosts.txt --nodes good,other --dry-run fast.yaml
expect_exit 0
[ "$(wc -l <out)" -eq 2 ] || fail 'expected a command for each of two nodes'

# Windows' editors begin a file with a byte order mark.
printf '\357\273\277node01\r\nnode02\n' >marked.txt
run --cluster ssh:marked.txt --dry-run fast.yaml
expect_exit 0
expect_out '-- node01 '
expect_out '-- node02 '
