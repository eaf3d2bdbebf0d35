#!/usr/bin/env bash
# Installs into a scratch prefix and links consumer.c and consumer.cpp against it by pkg-config and by find_package, shared
# and static.  Needs SOURCE_DIR, BUILD_DIR, CMAKE, CC, CXX (empty: without C++), LIBDIR, VERSION, SUFFIX (-rc.1) and SOVERSION, as tests/CMakeLists.txt
# sets them.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
lib=$prefix/$LIBDIR
here=$SOURCE_DIR/tests/install
expected="$VERSION$SUFFIX -1 01"

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect NAME PROGRAM: the program prints the minimum.  Only the shared library needs a path to be found.
expect()
{
    local got
    got=$(LD_LIBRARY_PATH=$lib "$2") || fail "$1 does not run"
    [ "$got" = "$expected" ] || fail "$1 prints '$got', not '$expected'"
    echo "ok: $1"
}

needs() { readelf -d "$1" | grep -q "NEEDED.*lib$2\.so\."; }
needs_libsos() { needs "$1" sos; }

expect_shared() { needs_libsos "$2" || fail "$1 does not use libsos.so"; expect "$@"; }
expect_static() { ! needs_libsos "$2" || fail "$1 uses libsos.so"; expect "$@"; }

"$CMAKE" --install "$BUILD_DIR" --prefix "$prefix" >/dev/null
for file in "$lib/libsos.a" "$lib/libsos.so" "$lib/libsos.so.$VERSION" "$lib/pkgconfig/sos.pc" "$prefix/bin/s3svm"; do
    [ -e "$file" ] || fail "$file is not installed"
done
readelf -d "$lib/libsos.so" | grep -q "SONAME.*\[libsos\.so\.${SOVERSION//./\\.}\]" || fail "the soname is not libsos.so.$SOVERSION"
! grep -rlF "$BUILD_DIR" "$lib/pkgconfig" "$lib/cmake" || fail "these files name the build directory"
"$prefix/bin/s3svm" --version | grep -qF "$VERSION$SUFFIX" || fail "s3svm --version does not say $VERSION$SUFFIX"

for name in sos s3svm; do needs "$prefix/bin/s3svm" $name || fail "the command does not use lib$name.so"; done
"$prefix/bin/s3svm" help experiment | grep -q denoising || fail "the command does not find the experiments"

# Each shared library exports what its headers declare, and nothing else.
for name in sos s3svm; do
    declared=$(cat "$prefix/include/$name"/*.h | tr '\n' ' ' | grep -oE 'SOS_API [^;(]*\(' | grep -oE "${name}_[a-z0-9_]+\\(\$" | tr -d '(' | sort)
    exported=$(nm -D --defined-only "$lib/lib$name.so" | awk '$2 == "T" { sub(/@.*/, "", $NF); print $NF }' | sort)
    diff <(echo "$declared") <(echo "$exported") || fail "lib$name: declared (<) and exported (>) names differ"
    echo "ok: lib$name exports the $(wc -l <<<"$exported") declared functions"
done

# Whoever links a static library meets all its symbols, hidden or not: every one has the project's prefix, and so have the
# macros of the headers.  (Names that the compiler makes, of ours for critical sections and of its own for sums, begin with a dot.)
for name in sos s3svm; do
    symbols=$(nm -g --defined-only "$lib/lib$name.a" | awk 'NF == 3 { print $3 }')
    [ "$(wc -l <<<"$symbols")" -gt 50 ] || fail "nm finds no symbols in lib$name.a"
    others=$(grep -vE '^(_?(sos|s3svm)_|\.gomp_critical_user_((sos|s3svm)_|\.reduction))' <<<"$symbols" || true)
    [ -z "$others" ] || fail "lib$name.a has symbols without prefix:" "$others"
    macros=$(grep -hoE '^ *# *define +[A-Za-z0-9_]+' "$prefix/include/$name"/*.h | awk '{ print $NF }' | grep -vE '^(SOS|S3SVM)_' || true)
    [ -z "$macros" ] || fail "headers of lib$name define macros without prefix:" "$macros"
    echo "ok: the $(wc -l <<<"$symbols") symbols of lib$name.a have the project's prefixes"
done
# What the command itself defines must not take the place of a function of a library that it uses.
exported=$(nm -D --defined-only "$prefix/bin/s3svm" | awk 'NF == 3 && $2 == "T" { print $3 }')
[ -z "$exported" ] || fail "the command exports functions:" "$exported"

# The interface is the recorded one: names that are exported, and sizes of the structs that programs make themselves.  A change
# that is meant is recorded by RECORD=1 (CONTRIBUTING.md).
interface()
{
    local name
    for name in sos s3svm; do nm -D --defined-only "$lib/lib$name.so" | awk -v "name=lib$name" '$2 == "T" { sub("@@", "@", $NF); print name, $NF }' | LC_ALL=C sort; done
    {
        echo '#include <stdio.h>'
        (cd "$prefix/include" && printf '#include <%s>\n' sos/*.h s3svm/*.h)
        echo 'int main(void) {'
        cat "$prefix"/include/sos/*.h "$prefix"/include/s3svm/*.h | sed -n 's/^typedef struct \(s[os3vm]*_[a-z0-9_]*\) {.*/\1/p' | LC_ALL=C sort |
            sed 's/.*/printf("sizeof & %zu\\n", sizeof(&));/'
        echo 'return 0; }'
    } >"$scratch/sizes.c"
    "$CC" -I"$prefix/include" "$scratch/sizes.c" -o "$scratch/sizes" && "$scratch/sizes"
}
interface >"$scratch/interface"
if [ -n "${RECORD-}" ]; then
    cp "$scratch/interface" "$here/interface.txt"
    "$SOURCE_DIR/scripts/debian-symbols"
fi
if [ "$(getconf LONG_BIT)" = 64 ]; then
    diff "$here/interface.txt" "$scratch/interface" || fail "recorded (<) and found (>) interfaces differ: see CONTRIBUTING.md"
    echo "ok: the interface is the recorded one, $(wc -l <"$scratch/interface") lines"
fi

export PKG_CONFIG_PATH=$lib/pkgconfig
if command -v pkg-config >/dev/null; then
    # The flags are lists of words.
    # shellcheck disable=SC2046
    by_pkg_config()
    {
        local compiler=$1 language=$2 source=$3
        "$compiler" "$here/$source" -o "$scratch/shared" $(pkg-config --cflags --libs sos)
        expect_shared "$language, pkg-config, shared" "$scratch/shared"
        # -Bstatic around all would want static libc parts too; the archive by name is the usual way.
        "$compiler" "$here/$source" -o "$scratch/static" $(pkg-config --static --cflags --libs sos | sed 's/-lsos/-l:libsos.a/')
        expect_static "$language, pkg-config, static" "$scratch/static"
    }
    by_pkg_config "$CC" C consumer.c
    [ -z "$CXX" ] || by_pkg_config "$CXX" C++ consumer.cpp
else
    echo "skipped: no pkg-config"
fi

"$CMAKE" -S "$here" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    ${CXX:+-DWITH_CXX=ON "-DCMAKE_CXX_COMPILER=$CXX"} -DWANTED="${VERSION%.*}" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$CMAKE" --build "$scratch/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
for language in c ${CXX:+cxx}; do
    expect_shared "$language, find_package, shared" "$scratch/build/${language}_sos"
    expect_static "$language, find_package, static" "$scratch/build/${language}_sos_static"
done
