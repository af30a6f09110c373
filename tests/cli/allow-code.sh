# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A foreign preset or run can name a library by its path. Its code does not run without the user's consent.
have cc || skip_all 'no C compiler is installed'
cat >evil.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void run(void)
{
	FILE *file = fopen(getenv("EVIL"), "w");
	if (file)
		fclose(file);
}
void cblas_dgemm(void);
void cblas_dgemm(void)
{
}
END
cc -shared -fPIC -o evil.so evil.c || skip_all 'no shared library can be made'
export EVIL=$TMP/ran
loaded() {
	[ -e "$EVIL" ]
}
cat >theirs.yaml <<END
experiment: autotune
routine: dgemm
blas: $TMP/evil.so
autotune: {n: 8, m: 8, k: 8, iterations: 2, invocations: 1, max_time: 1s}
END

# Presets: shown, and refused.
run --check theirs.yaml
expect_exit 0
expect_err "theirs.yaml:3:7: a run would run the code of blas, and you did not type that: $TMP/evil.so"
expect_err '--allow-code'
run --dry-run theirs.yaml
expect_exit 0
expect_err "a run would run the code of blas, and you did not type that: $TMP/evil.so"
run --batch theirs.yaml --run-dir refused
expect_exit 2
expect_err "theirs.yaml:3:7: a run would run the code of blas, and you did not type that: $TMP/evil.so"
expect_err '--allow-code'
[ ! -e refused ] || fail 'expected no run directory'
! loaded || fail 'expected the library not to be loaded'

# An unknown soname counts as a path; known ones, and words, do not.
for name in evil.so ./evil.so libevil.so.3; do
	sed "s|^blas: .*|blas: $name|" theirs.yaml >named.yaml
	run --batch named.yaml
	expect_exit 2
	expect_err '--allow-code'
done
for name in openblas libopenblas.so.0 mkl; do
	sed "s|^blas: .*|blas: $name|" theirs.yaml >named.yaml
	run --check named.yaml
	expect_exit 0
	expect_not_err 'a run would run the code'
done

# What the user types is the user's word.
run --batch theirs.yaml --set "blas=$TMP/evil.so" --run-dir typed
expect_not_err '--allow-code'
loaded || fail 'expected the library to be loaded'
rm ran
run --check theirs.yaml --set "blas=$TMP/evil.so"
expect_exit 0
expect_err "a run runs the code of blas: $TMP/evil.so"
expect_not_err '--allow-code'
TPROF_BLAS=$TMP/evil.so run --batch theirs.yaml --run-dir environment
loaded || fail 'expected the library to be loaded'
rm ran
run --batch theirs.yaml --allow-code --run-dir allowed
loaded || fail 'expected the library to be loaded'
rm ran

# So is the user's own configuration file, but not one that others may write.
mkdir -p "$XDG_CONFIG_HOME/tprof"
grep -v ^blas theirs.yaml >ours.yaml
echo "blas: $TMP/evil.so" >"$XDG_CONFIG_HOME/tprof/config.yaml"
chmod 644 "$XDG_CONFIG_HOME/tprof/config.yaml"
run --batch ours.yaml --run-dir configured
loaded || fail 'expected the library to be loaded'
rm ran
chmod 666 "$XDG_CONFIG_HOME/tprof/config.yaml"
run --batch ours.yaml --run-dir writable
expect_exit 2
expect_err '--allow-code'
! loaded || fail 'expected the library not to be loaded'
rm "$XDG_CONFIG_HOME/tprof/config.yaml"

# A stored run is not a word of the user, however it came to be.
run --resume typed
expect_exit 2
expect_err "a run would run the code of blas, and you did not type that: $TMP/evil.so"
! loaded || fail 'expected the library not to be loaded'
